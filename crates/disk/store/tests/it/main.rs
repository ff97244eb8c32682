//! The store as its users see it: over files, over disks that fail, beside a model.

mod crash;
mod disk;
mod limits;
mod locks;
mod log;
mod logs;
mod model;
mod opening;
mod records;
mod redefine;
mod salvage;
mod setup;
mod twophase;
mod walk;
mod world;
