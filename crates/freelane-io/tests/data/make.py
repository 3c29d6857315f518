"""Writes the files that the tests read. See README.md."""
import numpy as np
import ml_dtypes
from safetensors.numpy import save_file

grid = np.arange(6).reshape(2, 3)
codes = ["b1", "u1", "i1", "u2", "i2", "u4", "i4", "u8", "i8", "f2", "f4", "f8", "c8", "c16"]
for code in codes:
    np.save(f"{code}.npy", grid.astype(code))
np.save("bf16.npy", grid.astype(ml_dtypes.bfloat16))

for code in ["u2", "f4", "c16"]:
    np.save(f"{code}_big.npy", grid.astype(">" + code))
np.save("f8_fortran.npy", np.asfortranarray(grid.astype("f8")))
np.save("i4_big_fortran.npy", np.asfortranarray(grid.astype(">i4")))
np.save("f8_scalar.npy", np.float64(0.5))
np.save("f8_empty.npy", np.zeros((0, 3)))
np.save("f8_one_axis.npy", np.arange(6.0))
np.save("f8_rank_32.npy", np.arange(6.0).reshape([1] * 30 + [2, 3]))
for version in [2, 3]:
    with open(f"f8_v{version}.npy", "wb") as file:
        np.lib.format.write_array(file, grid.astype("f8"), version=(version, 0))

np.save("refused_object.npy", np.array([None, 1], dtype=object), allow_pickle=True)
np.save("refused_text.npy", np.array(["a", "bc"]))
np.save("refused_bytes.npy", np.array([b"a", b"bc"]))
np.save("refused_dates.npy", np.array(["2020-01-01"], dtype="M8[D]"))
np.save("refused_fields.npy", np.zeros(2, dtype=[("x", "f8"), ("y", "i4", (2,))]))
np.save("refused_long.npy", np.zeros(2, dtype=np.longdouble))
np.save("refused_void.npy", np.zeros(2, dtype="V3"))

np.savez("stored.npz", x=grid.astype("f8"), y=np.arange(4, dtype="i2"))
np.savez_compressed("deflated.npz", x=grid.astype("f8"), y=np.arange(4, dtype="i2"), zeros=np.zeros((100, 100)))
np.savez("one.npz", grid.astype("f4"))
save_file({"a": grid.astype("f4"), "b": grid.astype("f2"), "c": np.zeros((0, 3)), "d": grid.astype("bool")}, "x.safetensors")

np.savetxt("plain.csv", grid, delimiter=",")
np.savetxt("ints.csv", grid, delimiter=",", fmt="%d")
np.savetxt("header.csv", grid, delimiter=",", fmt="%d", header="a,b,c", comments="")
np.savetxt("comment.csv", grid, delimiter=",", fmt="%d", header="a,b,c")
