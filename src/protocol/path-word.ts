/**
 * Is a word of the command line a path? Only one that begins with `./`, `../` or `/`, and `.` and `..` themselves: the
 * hook of a plugin has a name with slashes, and the project could hold a file at the same words.
 */
export const isPathWord = (word: string): boolean => /^(?:\/|\.{1,2}(?:\/|$))/.test(word);
