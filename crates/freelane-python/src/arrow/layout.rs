//! The interface's structures, in the layout that it fixes.
use freelane::DType;
use std::ffi::{CStr, c_char, c_void};

/// `ArrowSchema`, in the layout that the interface fixes.
#[repr(C)]
pub(super) struct Schema {
    pub format: *const c_char,
    pub name: *const c_char,
    pub metadata: *const c_char,
    pub flags: i64,
    pub n_children: i64,
    pub children: *mut *mut Schema,
    pub dictionary: *mut Schema,
    pub release: Option<unsafe extern "C" fn(*mut Schema)>,
    pub private_data: *mut c_void,
}

/// `ArrowArray`.
#[repr(C)]
pub(super) struct Vector {
    pub length: i64,
    pub null_count: i64,
    pub offset: i64,
    pub n_buffers: i64,
    pub n_children: i64,
    pub buffers: *mut *const c_void,
    pub children: *mut *mut Vector,
    pub dictionary: *mut Vector,
    pub release: Option<unsafe extern "C" fn(*mut Vector)>,
    pub private_data: *mut c_void,
}

// SAFETY: the interface lets any thread read the elements and call `release`.
unsafe impl Send for Vector {}

/// What is released, and how it says that it was.
pub(super) trait Released: 'static {
    const NAME: &'static CStr;
    fn release(&mut self) -> &mut Option<unsafe extern "C" fn(*mut Self)>;
}

impl Released for Schema {
    const NAME: &'static CStr = c"arrow_schema";
    fn release(&mut self) -> &mut Option<unsafe extern "C" fn(*mut Schema)> {
        &mut self.release
    }
}

impl Released for Vector {
    const NAME: &'static CStr = c"arrow_array";
    fn release(&mut self) -> &mut Option<unsafe extern "C" fn(*mut Vector)> {
        &mut self.release
    }
}

pub(super) fn release<T: Released>(this: &mut T) {
    if let Some(release) = *this.release() {
        // SAFETY: not released yet, since the pointer is there; the interface says that it clears the pointer.
        unsafe { release(this) }
    }
}

/// The code of a dtype in the interface.
pub(super) fn format_of(dtype: DType) -> Option<&'static CStr> {
    Some(match dtype {
        DType::Bool => c"b",
        DType::I8 => c"c",
        DType::U8 => c"C",
        DType::I16 => c"s",
        DType::U16 => c"S",
        DType::I32 => c"i",
        DType::U32 => c"I",
        DType::I64 => c"l",
        DType::U64 => c"L",
        DType::F16 => c"e",
        DType::F32 => c"f",
        DType::F64 => c"g",
        _ => return None,
    })
}
