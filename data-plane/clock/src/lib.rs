//! Domain, physical and manual clocks as distinct types.
