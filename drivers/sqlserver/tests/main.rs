//! Tests of the driver against the scripted server of the test kit.

mod conformance;
