"""Named, versioned sets of tasks with their verifiers."""
