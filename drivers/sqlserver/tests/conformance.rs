//! The shared suite against the scripted server, in each way of connecting and of loading.

use tacho_testkit::conformance;

use crate::common::{Encryption, driver, enter, server, target};

#[test]
fn conformance_in_every_setting() {
    let _inside = enter();
    let settings = [
        (Encryption::Login, ""),
        (Encryption::Off, "&encrypt=optional&load=insert"),
        (Encryption::Login, "&encrypt=optional&packet_size=512"),
        (
            Encryption::Required,
            "&encrypt=optional&isolation=snapshot&lock_timeout=5s&set=ARITHABORT%20ON",
        ),
    ];
    for (encryption, options) in settings {
        let server = server(encryption);
        conformance::run(&*driver(), &target(&server, options));
    }
}

/// However an answer is cut into packets and the packets into pieces, it says the same.
#[test]
fn conformance_with_packets_that_are_cut() {
    let _inside = enter();
    for (packet, write) in [(1, None), (7, Some(3)), (61, Some(1))] {
        let server = server(Encryption::Off);
        server.faults(|faults| {
            faults.packet_bytes = Some(packet);
            faults.write_bytes = write;
        });
        conformance::run(&*driver(), &target(&server, "&encrypt=optional"));
    }
}
