// Our dialects count as registered; other namespaces need --allow-unregistered-dialect.
// RUN: mosaic-verify-opt %s --split-input-file --verify-diagnostics | %filecheck %s
// RUN: echo '"foo.bar"() {a = #foo<x>} : () -> !foo.y' | mosaic-verify-opt --allow-unregistered-dialect | %filecheck %s --check-prefix=ALLOWED

// CHECK: "plgpu.something"() {a = #plgpu.x} : () -> !plgpu.y
%0 = "plgpu.something"() {a = #plgpu<x>} : () -> !plgpu.y

// ALLOWED: "foo.bar"() {a = #foo.x} : () -> !foo.y

// -----

// expected-error @+1 {{operation being parsed with an unregistered dialect. If this is intended, please use -allow-unregistered-dialect with the MLIR tool used}}
"foo.bar"() : () -> ()

// -----

"plgpu.something"() : () -> ()
// expected-error @+1 {{operation being parsed with an unregistered dialect}}
"foo.bar"() : () -> ()

// -----

// expected-error @+1 {{`!foo.t` type created with unregistered dialect}}
"plgpu.something"() : () -> !foo.t
