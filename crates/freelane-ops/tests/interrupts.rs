//! Long operations end when the thread's poll says so, and its questions do not show in the bits.
use freelane_ops::{Array, DType, Function, Index, IndexItem, Operand, OpsError, Slice, Value, ufuncs};
use freelane_pool::{Lane, Runtime};
use freelane_sync::lane_local;
use freelane_testing::{assert_same_bits, values};
use std::cell::Cell;

type Result<T = ()> = std::result::Result<T, OpsError>;

lane_local! {
    static ASKED: Cell<usize> = Cell::new(0);
    static LIMIT: Cell<usize> = Cell::new(0);
}

/// Says yes the `LIMIT`th time.
fn ask() -> bool {
    ASKED.with(|n| n.set(n.get() + 1));
    ASKED.with(Cell::get) >= LIMIT.with(Cell::get)
}

/// Runs `f` with a poll that says yes the `limit`th time: the result, and how often it was asked.
fn polled<T>(limit: usize, f: impl FnOnce() -> T) -> (T, usize) {
    ASKED.with(|n| n.set(0));
    LIMIT.with(|n| n.set(limit));
    let before = Lane::with(|lane| lane.set_poll(Some(ask)));
    let result = f();
    Lane::with(|lane| lane.set_poll(before));
    (result, ASKED.with(Cell::get))
}

type Run = Box<dyn Fn() -> Result<Array>>;

/// Operations of every driver, each of more than a millisecond by its estimate.
fn operations() -> Result<Vec<(&'static str, Run)>> {
    let x = values(&[3000, 1501], DType::F64, (-1.0, 1.0), 1)?;
    let odd = x.index(&[(..).into(), Slice { step: 2, ..Slice::all() }.into()])?;
    let square = values(&[760, 760], DType::F64, (-1.0, 1.0), 2)?;
    let mask = IndexItem::Bools(x.greater(0.0)?);
    let rows = Array::arange(0, 9000, 1)?.remainder(3000)?;
    let columns = IndexItem::Ints(Array::arange(0, 3000, 1)?.remainder(1501)?);
    let row_items = [IndexItem::Ints(rows.clone())];
    let flat = x.reshape(&[-1])?;
    let places = Array::arange(0, flat.len() as i64, 1)?.multiply(7)?.remainder(flat.len() as i64)?;
    let along = places.reshape(&[3000, 1501])?.remainder(1501)?;
    let part = [IndexItem::from(Index::Range((1..).into()))];
    macro_rules! all {
        ($($name:literal: |$($kept:ident),*| $body:expr;)*) => {
            Ok(vec![$(($name, { $(let $kept = $kept.clone();)* Box::new(move || { $(let _ = &$kept;)* $body }) as Box<dyn Fn() -> Result<Array>> })),*])
        };
    }
    all! {
        "flat": |x| x.tanh();
        "strided": |odd| odd.exp();
        "broadcast": |x| x.t().subtract(&x.t().index(&[(..).into(), (..1).into()])?);
        "cast": |x| x.tile_of(4)?.astype(DType::F32);
        "copy": |odd| odd.tile_of(4)?.copy();
        "write": |x, part| { let mut y = x.tile_of(3)?.copy()?; y.set_items(&part, 1.5)?; Ok(y) };
        "full": |x| Array::full(&[10_000_000], 3, DType::F64);
        "arange": |x| Array::arange(0, 9_000_000, 3);
        "sum": |flat| flat.tile_of(4)?.sum(.., false);
        "sum rows": |x| x.tile_of(4)?.sum([0, 2], false);
        "sum columns": |x| x.tile_of(4)?.sum(1, false);
        "var": |flat| flat.var(.., 0.0, false);
        "argmax": |odd| odd.argmax(.., false);
        "all": |x| x.tile_of(8)?.not_equal(9.0)?.all(.., false);
        "matmul": |square| square.matmul(&square);
        "rows": |x, row_items| x.get_items(&row_items);
        "columns": |x, columns| x.get_items(&[(..).into(), columns.clone()]);
        "take": |flat, places| flat.take(&places, 0);
        "put": |flat, places| { let mut y = flat.copy()?; y.set_items(&[IndexItem::Ints(places.clone())], &flat)?; Ok(y) };
        "along": |x, along| x.take_along_axis(&along, 1);
        "mask": |x, mask| x.get_items(std::slice::from_ref(&mask));
        "fill": |x, mask| { let mut y = x.copy()?; y.set_items(std::slice::from_ref(&mask), 0.5)?; Ok(y) };
        "mask of columns": |x, mask| { let mut y = x.t().copy()?.t(); y.set_items(std::slice::from_ref(&mask), 0.5)?; Ok(y) };
    }
}

/// Repeated along a new first axis, without memory.
trait Tile: Sized {
    fn tile_of(&self, n: usize) -> Result<Array>;
}

impl Tile for Array {
    fn tile_of(&self, n: usize) -> Result<Array> {
        self.broadcast_to(&[&[n], self.shape()].concat())
    }
}

#[test]
fn every_driver_asks_and_ends_and_keeps_its_bits() -> Result {
    let runtime = Runtime::new(3).unwrap();
    for (name, run) in operations()? {
        let want = run()?;
        let (got, asked) = polled(usize::MAX, &run);
        assert_same_bits(&got?, &want, name);
        assert!(asked >= 1, "{name} asked {asked} times");
        for limit in [1, asked] {
            let (ended, asked) = polled(limit, &run);
            assert!(matches!(ended, Err(OpsError::Interrupted { .. })), "{name} at question {limit}");
            assert_eq!(asked, limit, "{name}");
        }
        let (got, _) = runtime.install(|_| polled(usize::MAX, &run));
        assert_same_bits(&got?, &want, name);
        let (ended, asked) = runtime.install(|_| polled(1, &run));
        assert!(asked == 0 || matches!(ended, Err(OpsError::Interrupted { .. })), "{name} on three threads");
    }
    Ok(())
}

#[test]
fn short_operations_ask_nothing() -> Result {
    let x = values(&[1000], DType::F64, (-1.0, 1.0), 1)?;
    let run = || -> Result<Array> { x.tanh()?.add(&x)?.sum(.., false)?.add(&x.take(&Array::arange(0, 10, 1)?, 0)?) };
    let (done, asked) = polled(1, run);
    assert!(done.is_ok());
    assert_eq!(asked, 0);
    Ok(())
}

#[test]
fn an_operation_ended_early_leaves_its_operands() -> Result {
    let x = values(&[4_000_000], DType::F64, (0.5, 1.0), 1)?;
    let before = x.copy()?;
    let exp = Function::by_name("exp").unwrap();
    let (ended, _) = polled(2, || Lane::with(|lane| exp.call_owned(lane, vec![Value::Array(x.clone())], &[])));
    let message = ended.map(|_| ()).unwrap_err().to_string();
    assert_eq!(message, "exp: interrupted");
    assert_same_bits(&x, &before, "the operand");
    let mut out = Array::zeros(x.shape(), DType::F64)?;
    let (ended, _) = polled(2, || Lane::with(|lane| ufuncs::EXP.call_into(lane, &[Operand::from(&x)], out.data_mut())));
    assert!(matches!(ended, Err(OpsError::Interrupted { op: "exp" })));
    assert!(out.get::<f64>(&[0])? > 1.0 && out.get::<f64>(&[3_999_999])? == 0.0, "an output is half written");
    Ok(())
}
