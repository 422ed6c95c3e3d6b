//! Statements that wait for another worker's commit.
