"""The table's rows of random numbers: as many of each kind, from NumPy's default generator, which is ready before."""
from operands import within
from table import FLAT, WIDE, case

GENERATOR = "np.random.default_rng(7)"


def numbers(name, ours, peer, dtypes="f", **facts):
    """`x` gives the shape and, where there is a choice, the dtype."""
    case(f"random.{name}", "random", {"x": within(*WIDE)}, f"fl.random.{ours}", f"generator.{peer}", dtypes=dtypes, layouts=FLAT,
         exact=False, setup={"generator": GENERATOR}, **facts)  # fmt: skip


numbers("random", "random(x.shape, seed=7, dtype=x.dtype)", "random(x.shape, dtype=x.dtype)")
numbers("uniform", "uniform(x.shape, -1.0, 2.0, seed=7)", "uniform(-1.0, 2.0, x.shape)")
numbers("normal", "normal(x.shape, seed=7, dtype=x.dtype)", "standard_normal(x.shape, dtype=x.dtype)")
numbers("exponential", "exponential(x.shape, seed=7, dtype=x.dtype)", "standard_exponential(x.shape, dtype=x.dtype)")
numbers("integers", "integers(x.shape, 0, 1000, seed=7, dtype=x.dtype)", "integers(0, 1000, x.shape, dtype=x.dtype)", "i")
numbers("bits", "bits(x.shape, seed=7)", "integers(0, 2**64, x.shape, dtype=np.uint64)")
numbers("permutation", "permutation(x, seed=7)", "permutation(x)", "fi")
numbers("choice", "choice(x, x.shape, seed=7)", "choice(x, x.shape)", "fi")
numbers("poisson", "poisson(x.shape, 20.0, seed=7)", "poisson(20.0, x.shape)")
numbers("binomial", "binomial(x.shape, 100, 0.3, seed=7)", "binomial(100, 0.3, x.shape)")
# Seeds for generators: NumPy's come from a SeedSequence.
case("random.child_seeds", "random", {"x": within(*WIDE)}, "fl.random.child_seeds(x.size, seed=7)",
     "np.random.SeedSequence(7).generate_state(x.size, np.uint64)", dtypes="f", layouts=FLAT, sizes=(100, 10_000), exact=False)  # fmt: skip
