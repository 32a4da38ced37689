//! The worker in this process, driven through Arrow Flight; definitions are made by hand, assignments applied directly.

mod assigning;
mod attached;
mod connections;
mod consuming;
mod control_plane;
mod finding;
mod lifecycle;
mod model;
mod moving;
mod node;
mod peers;
mod unread;
mod writing;
