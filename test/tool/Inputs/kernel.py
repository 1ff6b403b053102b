def layer(gmm, lhs, rhs, sizes):
    # Locations of a test point at the next two lines.
    out = gmm(lhs, rhs, sizes)
    ref = gmm(lhs, rhs, sizes)  # mosaic-verify: ignore[MV410]
    return out, ref


def model(gmm, lhs, rhs, sizes):
    layer(gmm, lhs, rhs, sizes)
