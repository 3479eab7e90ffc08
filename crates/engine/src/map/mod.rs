//! The passages in the plane: what is near in meaning is near on the map.
//!
//! Some hundred [`landmarks`] stand for all vectors. Only they are laid out ([`plane`]) and given room ([`mod@discs`]); each
//! passage lies in the disc of the landmark it is most like ([`mod@place`]). What is added later therefore moves nothing that was there, and a map of
//! 100,000 passages costs one product with each landmark. [`regions`] are named by the words of what lies there.

mod discs;
mod landmarks;
mod place;
mod plane;
mod regions;

pub(crate) use discs::{Disc, discs};
pub(crate) use landmarks::{Landmarks, landmarks};
pub(crate) use place::{Placed, place};
pub(crate) use plane::{Point, plane};
pub(crate) use regions::{MOST_TEXTS, names};
