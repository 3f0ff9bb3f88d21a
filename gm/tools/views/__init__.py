"""What pages show, as plain frozen data: no markup, no addresses, no words of an interface."""
