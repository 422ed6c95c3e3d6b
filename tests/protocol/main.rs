//! The model of the queue's protocol: which promise guards which property, how far the search goes,
//! and that real servers do step by step what the model says.


mod laws;
