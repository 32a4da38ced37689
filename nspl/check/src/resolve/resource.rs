//! Versions of resources: which one is meant, and whether it is there (companion section 2).

use nspl_model::{EntityKey, EntityKind};
use nspl_syntax::Name;

use super::Resolver;
use crate::resources::{Found, NoVersion};
use crate::rules;

impl Resolver<'_> {
    /// A version of a resource that exists, or its latest; `Ok(None)` where nothing is known of versions.
    pub(super) fn find_version(
        &self,
        resource: &str,
        version: Option<u64>,
    ) -> Result<Option<Found>, NoVersion> {
        let Some(resources) = &self.world.settings.resources else {
            return Ok(None);
        };
        let fresh = self
            .world
            .is_fresh(&EntityKey::new(EntityKind::Resource, resource));
        resources
            .find((self.world.domain(), resource), version, fresh)
            .map(Some)
    }

    /// The number that MOUNT is pinned to. A resource that has no version yet is mounted once it has one.
    pub(super) fn mounted_version(&mut self, resource: &Name, version: Option<u64>) -> Option<Option<u64>> {
        match (self.find_version(&resource.text, version), version) {
            (Ok(found), _) => Some(found.and_then(|found| found.version).or(version)),
            (Err(_), None) => Some(None),
            (Err(missing), Some(version)) if self.world.is_fresh(self.owner) => {
                self.faults
                    .push(rules::resource_version::fault(resource, Some(version), &missing));
                None
            }
            (Err(_), Some(version)) => Some(Some(version)),
        }
    }
}
