/** Apart from their code, because the table of commands is loaded by every call. */
export const TEST_REPORTER_NAMES = ["pretty", "json", "junit", "tap", "github", "gitlab", "sarif"] as const;
export type TestReporterName = (typeof TEST_REPORTER_NAMES)[number];
