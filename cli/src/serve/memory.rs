//! The memory that this process may use, and the share of it that the node's budget is unless `--memory-budget` says.

use nervix_data_plane::BUDGET_BYTES_DEFAULT;

/// One part in so many of the memory is the budget: beside it there are the store's cache, tasks, streams and the
/// allocator's own needs.
const BUDGET_SHARE: u64 = 4;
const MEMINFO: &str = "/proc/meminfo";
/// The limit of the control group of this process, as a container sees it.
const GROUP_LIMIT: &str = "/sys/fs/cgroup/memory.max";

/// The budget in bytes; [`BUDGET_BYTES_DEFAULT`] where the machine does not say what it has.
pub(super) fn budget_bytes() -> u64 {
    let read = |path: &str| std::fs::read_to_string(path).unwrap_or_default();
    share_of(&read(MEMINFO), &read(GROUP_LIMIT))
}

fn share_of(meminfo: &str, group_limit: &str) -> u64 {
    let machine = meminfo.lines().find_map(total_bytes);
    let group = group_limit.trim().parse::<u64>().ok();
    let memory = [machine, group].into_iter().flatten().min();
    memory.map_or(BUDGET_BYTES_DEFAULT, |bytes| bytes / BUDGET_SHARE)
}

/// `MemTotal:       24690704 kB`
fn total_bytes(line: &str) -> Option<u64> {
    let kib = line.strip_prefix("MemTotal:")?.strip_suffix("kB")?;
    kib.trim().parse::<u64>().ok()?.checked_mul(1024)
}

#[cfg(test)]
mod tests {
    use nervix_data_plane::BUDGET_BYTES_DEFAULT;

    use super::{budget_bytes, share_of};

    #[test]
    fn the_budget_is_a_share_of_what_the_machine_or_its_control_group_has() {
        let machine = "MemTotal:        4194304 kB\nMemFree:  12 kB\n";
        assert_eq!(share_of(machine, "max\n"), 1024 * 1024 * 1024);
        assert_eq!(share_of(machine, "1073741824\n"), 256 * 1024 * 1024);
        assert_eq!(share_of("", ""), BUDGET_BYTES_DEFAULT);
        assert!(budget_bytes() > 0);
    }
}
