/** In a separate file, because every call loads the table of commands. */
export const TEST_REPORTER_NAMES = ["pretty", "json", "junit", "tap", "github", "gitlab", "sarif"] as const;
export type TestReporterName = (typeof TEST_REPORTER_NAMES)[number];
