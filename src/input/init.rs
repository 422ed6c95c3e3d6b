//! The commented configuration file that `init` writes from what it finds.
