/** What zod expected; "Invalid input:" in front of it repeats the words of the problem that quotes it. */
export const issueText = (issue: { readonly message: string } | undefined): string =>
  issue === undefined ? "not valid" : issue.message.replace(/^Invalid input: /, "");
