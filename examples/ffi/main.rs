// SPDX-License-Identifier: MIT
// Regions in Rust: the declarations, and a guard that ends a visit when dropped.
use std::ffi::{c_void, CStr, CString};
use std::os::raw::c_char;
use std::mem::MaybeUninit;

#[repr(C, align(8))]
struct Frame([u64; 4]);

extern "C" {
    fn selfmon_region(name: *const c_char) -> *mut c_void;
    fn selfmon_enter(region: *mut c_void, frame: *mut Frame);
    fn selfmon_leave(frame: *mut Frame);
    fn selfmon_region_bytes(n: u64);
    fn selfmon_region_items(n: u64);
    fn selfmon_region_ticks() -> u64;
    fn selfmon_region_name(region: *const c_void) -> *const c_char;
}

#[derive(Clone, Copy)]
struct Region(*mut c_void);

impl Region {
    fn new(name: &str) -> Region {
        let name = CString::new(name).unwrap();
        Region(unsafe { selfmon_region(name.as_ptr()) })
    }

    fn name(self) -> &'static str {
        unsafe { CStr::from_ptr(selfmon_region_name(self.0)) }.to_str().unwrap()
    }

    // The frame must not move while the visit is open: it is on the heap.
    fn enter(self) -> Visit {
        let mut frame = Box::new(MaybeUninit::<Frame>::uninit());
        unsafe { selfmon_enter(self.0, frame.as_mut_ptr()) };
        Visit(frame)
    }
}

struct Visit(Box<MaybeUninit<Frame>>);

impl Drop for Visit {
    fn drop(&mut self) {
        unsafe { selfmon_leave(self.0.as_mut_ptr()) }
    }
}

fn visit(region: Region, depth: u32) {
    let _visit = region.enter();

    unsafe {
        selfmon_region_bytes(8);
        selfmon_region_items(1);
    }
    if depth > 1 {
        visit(region, depth - 1);
    }
}

fn main() {
    let outer = Region::new("outer");
    let inner = Region::new("inner");
    let mut ticks = 0;

    for _ in 0..100 {
        let _visit = outer.enter();

        visit(inner, 3);
        ticks += unsafe { selfmon_region_ticks() };
    }
    assert!(ticks > 0);
    assert_eq!(outer.name(), "outer");
}
