//! Nothing: a package has a library or a program, and this one is made of measurements.
