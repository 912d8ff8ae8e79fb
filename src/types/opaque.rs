//! `Debug` of types whose content says nothing.

/// Implements `Debug` by the name alone, for types with functions, tables or processes inside.
#[doc(hidden)]
#[macro_export]
macro_rules! opaque_debug {
    ($name:ident) => {
        $crate::types::opaque_debug!($name, stringify!($name));
    };
    ($name:ty, $text:expr) => {
        impl std::fmt::Debug for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.debug_struct($text).finish_non_exhaustive()
            }
        }
    };
}

#[doc(hidden)]
pub use opaque_debug;
