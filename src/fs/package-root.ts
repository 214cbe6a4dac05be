/** The folder of the npm package as a URL, from a module in `src` or from a bundle in `dist`. */
export const PACKAGE_ROOT = new URL(import.meta.url.replace(/^(.*\/)(?:src|dist)\/.*$/, "$1"));
