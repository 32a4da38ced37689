//! The worker in this process, driven through Arrow Flight; definitions are made by hand, assignments applied directly.

mod assigning;
mod attached;
mod consuming;
mod control_plane;
mod fan_out;
mod finding;
mod given_up;
mod handover;
mod lifecycle;
mod model;
mod moving;
mod node;
mod outside;
mod paced;
mod peers;
mod pressure;
mod unread;
mod writing;
