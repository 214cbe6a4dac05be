import fc from "fast-check";

// The same inputs in each run, so that no build fails by chance. `.ci/nightly` tries inputs of its own.
fc.configureGlobal({ seed: Number(process.env.HOOKCTL_TEST_SEED ?? 1) });
