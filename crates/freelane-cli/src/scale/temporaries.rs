//! Four large temporaries written, held and freed, as an expression over large arrays makes them.
use super::group::{Group, Side, Workload};
use anyhow::Result;
use freelane::mem::BufferMut;
use freelane_sync::Mutex;
use std::hint::black_box;
use std::mem::MaybeUninit;
use std::sync::Arc;

/// Temporaries that live at the same time.
const COUNT: usize = 4;

/// The groups of this workload.
pub fn groups() -> Vec<Group> {
    [1 << 20, 16 << 20].map(|n| Group { workload: Workload::Temporaries, n, sides: sides(n) }).into()
}

fn sides(bytes: usize) -> Vec<Side> {
    vec![
        Side::alone("four temporaries", move || Ok(move || ours(bytes))),
        Side::limit("four temporaries, plain loop over kept buffers", move || {
            // The same kind of memory as the other side's: huge pages, where the system gives them.
            let mut kept: Vec<BufferMut> = (0..COUNT).map(|_| BufferMut::uninit(bytes)).collect::<Result<_, _>>()?;
            Ok(move || {
                kept.iter_mut().for_each(|buffer| write(buffer.as_uninit_mut()));
                Ok(())
            })
        }),
        Side::alone("four temporaries, system allocator", move || {
            Ok(move || {
                let mut held: Vec<Vec<u8>> = Vec::with_capacity(COUNT);
                for _ in 0..COUNT {
                    held.push(fresh(bytes)?);
                }
                drop(black_box(held));
                Ok(())
            })
        }),
        Side::sharing(
            "four temporaries, contended lock",
            |_| Mutex::new(()),
            move |lock: Arc<Mutex<()>>, _| {
                Ok(move || {
                    let _held = lock.lock();
                    ours(bytes)
                })
            },
        ),
    ]
}

fn ours(bytes: usize) -> Result<()> {
    let mut held = [const { None }; COUNT];
    for place in &mut held {
        let mut buffer = BufferMut::uninit(bytes)?;
        write(buffer.as_uninit_mut());
        *place = Some(buffer);
    }
    drop(black_box(held));
    Ok(())
}

/// Written memory from the global allocator, which is the system's in this program.
fn fresh(bytes: usize) -> Result<Vec<u8>> {
    let mut buffer = vec![];
    buffer.try_reserve_exact(bytes)?;
    write(buffer.spare_capacity_mut());
    Ok(buffer)
}

fn write(bytes: &mut [MaybeUninit<u8>]) {
    bytes.fill(MaybeUninit::new(1));
    black_box(bytes);
}
