"""Files that hold kernels: artifacts of `jax.export`, portable StableHLO, HLO, and folders with anything among them."""

import json
import os
import re
import shutil
import subprocess
import sys

import jax
import jax.numpy as jnp
import pytest
import sparse_mma
from jax import export
from jaxlib.mlir import ir

import mosaic_verify as mv
from mosaic_verify.dialects.stablehlo_kernel import CUSTOM_CALL, UnreadableKernel, inspect, kernel_bytes, read_kernel
from mosaic_verify.ir.artifacts import UnreadableArtifact, exported_module, exported_platforms, kind_of, read_module
from mosaic_verify.ir.context import make_context
from mosaic_verify.ir.passes import collect
from mosaic_verify.tools import opt
from mosaic_verify.tools.cli_artifacts import open_artifact
from mosaic_verify.tools.cli_console import UsageError
from mosaic_verify.tools.cli_targets import CheckOptions, open_target

VERIFY = "builtin.module(stablehlo-verify-sparse-metadata)"


def program(how):
    """`jax.export` cannot serialise uint2 arguments, so that metadata comes as int32."""
    inner, (a, b, meta) = sparse_mma.host(jnp.float16, how, k=256)
    return lambda x, y, z: inner(x, y, z.astype(jnp.uint2)), (a, b, jax.ShapeDtypeStruct(meta.shape, jnp.int32))


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """One file of each kind with metadata of the wrong width, by kind."""
    folder = tmp_path_factory.mktemp("artifacts")
    fn, args = program(jnp.float8_e4m3fn)
    lowered = jax.jit(fn).trace(*args).lower(lowering_platforms=("cuda",))
    checks = [export.DisabledSafetyCheck.custom_call("mosaic_gpu_v2")]
    exported = export.export(jax.jit(fn), platforms=("cuda",), disabled_checks=checks)(*args)
    hlo = lowered.compiler_ir("hlo")
    proto = hlo.as_serialized_hlo_module_proto()
    length, size = [], len(proto)
    while size >= 0x80:
        length.append(size & 0x7F | 0x80)
        size >>= 7
    wrapped = b"\x0a" + bytes([*length, size]) + proto  # HloProto { hlo_module = 1 }
    content = {
        "mlir": lowered.as_text().encode(),
        "export": exported.serialize(),
        "portable": exported.mlir_module_serialized,
        "hlo": hlo.as_hlo_text().encode(),
        "hlo-proto": proto,
        "wrapped": wrapped,
    }
    names = {"mlir": "a.mlir", "hlo": "b.txt", "hlo-proto": "c.pb", "wrapped": "d.hlo.pb"}
    paths = {}
    for kind, data in content.items():
        paths[kind] = folder / names.get(kind, f"{kind}.bin")
        paths[kind].write_bytes(data)
    return paths


def codes(report):
    return [d.code for d in report.diagnostics if d.severity == "error"]


@pytest.mark.parametrize("kind", ["mlir", "export", "portable", "hlo", "hlo-proto", "wrapped"])
def test_every_kind_gives_the_finding(files, kind):
    path = files[kind]
    assert kind_of(path.read_bytes(), path.name) == {"wrapped": "hlo-proto"}.get(kind, kind)
    module = read_module(path.read_bytes(), path.name)
    assert module is not None and codes(mv.run(module, VERIFY)) == ["MV305"]
    (job,) = open_target(str(path), CheckOptions())
    assert codes(job.run()) == ["MV305"]


def test_kernels_in_the_spelling_of_older_jaxlibs_are_read(files):
    """jaxlib 0.10 spells enumerations so, and 0.11 does in what it exports."""
    with make_context(unregistered=True):
        (call,) = collect(ir.Module.parse(files["mlir"].read_text()).operation, (CUSTOM_CALL,))[CUSTOM_CALL]
        data = kernel_bytes(call)
    old = re.sub(rb"#(gpu|nvvm)\.(dim|shfl_kind)<(\w+)>", rb"#\1<\2 \3>", data)
    assert b"#gpu<dim x>" in old and b"#gpu.dim<x>" not in old
    assert inspect(read_kernel(old)) == inspect(read_kernel(data)) and inspect(read_kernel(old)).kinds == ("f16",)
    with pytest.raises(UnreadableKernel, match="jaxlib cannot read its module"):
        read_kernel(old.replace(b"#gpu<dim x>", b"#gpu<dim_x>"))


def test_an_artifact_gives_the_findings_of_the_hook(files):
    fn, args = program(jnp.float8_e4m3fn)
    hook = [d for d in mv.check(fn, *args).diagnostics if d.code.startswith("MV3")]
    (job,) = open_target(str(files["export"]), CheckOptions())
    read = [d for d in job.run().diagnostics if d.code.startswith("MV3")]
    assert [(d.code, d.severity) for d in read] == [(d.code, d.severity) for d in hook]
    assert read[0].location.line == hook[0].location.line


def test_damaged_files_say_what_they_are(files, tmp_path):
    for kind in ("export", "portable", "hlo", "hlo-proto"):
        path = files[kind]
        cut = tmp_path / path.name
        cut.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
        if kind == "export":  # the flatbuffer still names the module, which is cut
            assert exported_module(cut.read_bytes()) is not None
        with pytest.raises(UnreadableArtifact):
            read_module(cut.read_bytes(), cut.name)
        with pytest.raises(UsageError, match=r"cannot read '.*'"):
            open_artifact(str(cut), CheckOptions())


@pytest.mark.parametrize(
    "data", [b"", b"\0", b"\0" * 64, b"\xff" * 64, bytes(range(256)), b"just text", b"PK\3\4" * 20]
)
def test_other_data_is_no_artifact(data):
    assert kind_of(data) is None and read_module(data) is None


@pytest.mark.parametrize("copies", [1, 3])  # in one process, and in several
def test_a_folder_of_mixed_files(files, tmp_path, copies):
    for number in range(copies):
        part = tmp_path / str(number)
        part.mkdir()
        for path in files.values():
            shutil.copy(path, part)
        (part / "kernel.ptx").write_text(".version 8.8")
        (part / "notes.md").write_text("nothing to check")
        (part / "broken.mlir").write_text("module {")
        (part / "cut.bin").write_bytes(files["export"].read_bytes()[:900])
    jobs = open_artifact(str(tmp_path), CheckOptions())
    assert jobs is not None
    found = {job.label.rpartition("/")[2]: job.run() for job in jobs}
    assert len(jobs) == copies * (len(files) + 3)
    for name in ("a.mlir", "export.bin", "portable.bin", "b.txt", "c.pb", "d.hlo.pb"):
        assert codes(found[name]) == ["MV305"]
    shown = {name: [(d.code, d.severity) for d in found[name].diagnostics] for name in found}
    assert shown["broken.mlir"] == shown["cut.bin"] == [("MV922", "warning")]
    assert shown["notes.md"] == [("MV922", "remark")]


def test_a_folder_without_anything_readable_is_refused(tmp_path):
    (tmp_path / "broken.mlir").write_text("module {")
    (tmp_path / "notes.md").write_text("nothing")
    with pytest.raises(UsageError, match=r"broken\.mlir"):
        open_artifact(str(tmp_path), CheckOptions())


def test_exit_codes_of_the_command(files, tmp_path):
    def run(*arguments):
        command = [sys.executable, "-m", "mosaic_verify.tools.cli", "check", *map(str, arguments), "--format", "json"]
        return subprocess.run(command, capture_output=True, text=True, check=False)

    shutil.copy(files["export"], tmp_path / "a.bin")
    (tmp_path / "broken.mlir").write_text("module {")
    done = run(tmp_path)
    assert done.returncode == 1 and "Traceback" not in done.stderr
    assert {"MV305", "MV922"} <= set(json.dumps(done.stdout).replace('\\"', '"').split('"'))
    (tmp_path / "a.bin").unlink()
    done = run(tmp_path)
    assert done.returncode == 2 and done.stderr.startswith("mosaic-verify: cannot read")


def test_an_artifact_names_its_platforms_and_kernels_must_fit_them(files, tmp_path):
    data = files["export"].read_bytes()
    assert exported_platforms(data) == ("cuda",)
    (job,) = open_target(str(files["export"]), CheckOptions())
    assert "MV901" not in codes(job.run())
    name = b"\4\0\0\0cuda\0"
    assert data.count(name) == 1
    path = tmp_path / "für rocm.bin"
    path.write_bytes(data.replace(name, b"\4\0\0\0rocm\0"))
    (job,) = open_target(str(path), CheckOptions())
    report = job.run()
    assert codes(report) == ["MV305", "MV901"]
    assert "exported for rocm" in report.diagnostics[-1].message


def test_damaged_artifacts_have_no_platforms(files):
    data = files["export"].read_bytes()
    assert (
        exported_platforms(b"")
        == exported_platforms(data[:200])
        == exported_platforms(files["mlir"].read_bytes())
        == ()
    )
    for at in range(0, 400, 3):  # offsets and lengths that point anywhere
        for byte in (0, 0x7F, 0xFF):
            broken = bytearray(data[:20000])
            broken[at] = byte
            assert isinstance(exported_platforms(bytes(broken)), tuple)
            kind_of(bytes(broken))


def test_what_cannot_be_opened_does_not_stop_a_folder(files, tmp_path):
    shutil.copy(files["export"], tmp_path / "a.bin")
    (tmp_path / "gone.mlir").symlink_to(tmp_path / "nothing")
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    (tmp_path / "empty.mlir").touch()
    (tmp_path / "empty folder").mkdir()
    os.mkfifo(tmp_path / "pipe.mlir")
    jobs = open_artifact(str(tmp_path), CheckOptions())
    assert jobs is not None
    found = {job.label.rpartition("/")[2]: [d.code for d in job.run().diagnostics] for job in jobs}
    assert found.keys() == {"a.bin", "gone.mlir", "loop"}
    assert "MV305" in found["a.bin"] and found["gone.mlir"] == found["loop"] == ["MV922"]


DUMPS = """
import sys
import jax, jax.numpy as jnp
import sparse_mma

program, args = sparse_mma.host(jnp.float16, jnp.float8_e4m3fn, k=256)
lowered = jax.jit(program).trace(*args).lower(lowering_platforms=("cuda",))
try:
    lowered.compile()  # for the CPU, which runs no such kernel: XLA stops behind most of its passes
except Exception:
    pass
jax.jit(lambda x: jnp.sin(x) @ x)(jnp.ones((64, 64)))
"""


@pytest.fixture(scope="module")
def dumps(tmp_path_factory):
    """What JAX, XLA and Mosaic GPU (JAX 0.12) write of their own accord."""
    folder = tmp_path_factory.mktemp("dumps")
    (folder / "mosaic").mkdir()
    environment = {
        **os.environ,
        "PYTHONPATH": os.path.dirname(sparse_mma.__file__),
        "JAX_PLATFORMS": "cpu",
        "JAX_DUMP_IR_TO": str(folder / "jax"),
        "MOSAIC_GPU_DUMP_TO": str(folder / "mosaic"),
        "XLA_FLAGS": f"--xla_dump_to={folder / 'xla'} --xla_dump_hlo_as_proto --xla_dump_hlo_as_text",
    }
    subprocess.run([sys.executable, "-c", DUMPS], env=environment, check=True, capture_output=True)
    return folder


def test_folders_that_compilers_dumped(dumps, capfd):
    folders = ["jax", "xla", *(["mosaic"] if os.listdir(dumps / "mosaic") else [])]
    for name in folders:
        jobs = open_artifact(str(dumps / name), CheckOptions())
        assert jobs
        reports = {job.label.rpartition("/")[2]: job.run() for job in jobs}
        unread = [label for label, report in reports.items() if "MV922" in {d.code for d in report.diagnostics}]
        assert unread == []
        wrong = [label for label, report in reports.items() if "MV305" in codes(report)]
        assert bool(wrong) == (name != "mosaic")
        assert all(codes(report) in ([], ["MV305"]) for report in reports.values())
    assert capfd.readouterr().err == ""


@pytest.mark.parametrize("kind", ["export", "portable"])
def test_the_opt_tool_reads_them_too(files, kind, tmp_path, capfd):
    target = tmp_path / "fixed.mlir"
    for flags, code in ((["--verify-all"], 1), (["--rewrite-all", "--verify-all"], 0)):
        assert opt.run([str(files[kind]), *flags, "-o", str(target)]) == code
        assert capfd.readouterr().err.count("[MV305]") == code
    assert "stablehlo.custom_call" in target.read_text()
    cut = tmp_path / "cut.bin"
    cut.write_bytes(files[kind].read_bytes()[:2000])
    assert opt.run([str(cut), "--verify-all"]) == 1
    said = capfd.readouterr().err
    assert said.startswith(f"cannot read '{cut}': ") and said.count("\n") == 1
