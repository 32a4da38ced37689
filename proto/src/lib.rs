//! Protobuf contracts of Nervix and the code generated from them; nothing else.
