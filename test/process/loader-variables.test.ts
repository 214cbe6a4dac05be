import { describe, expect, test } from "vitest";
import { projectEnvironment, serverEnvironment, userEnvironment } from "../../src/process/filter-environment.ts";

const SEARCH = { projectDir: "/project", homeDir: null, pathAllow: [] };

/** Each of them makes a loader or an interpreter run foreign code before the first line of a hook. */
const LOADERS = [
  ...["LD_PRELOAD", "LD_LIBRARY_PATH", "LD_AUDIT", "DYLD_INSERT_LIBRARIES", "DYLD_LIBRARY_PATH"],
  ...["GCONV_PATH", "GLIBC_TUNABLES", "OPENSSL_CONF", "OPENSSL_ENGINES", "OPENSSL_MODULES"],
  ...["BASH_ENV", "ENV", "PS4", "SHELLOPTS", "BASHOPTS", "ZDOTDIR", "BASH_FUNC_ls%%"],
  ...["NODE_OPTIONS", "NODE_PATH", "BUN_OPTIONS"],
  ...["PYTHONPATH", "PYTHONHOME", "PYTHONSTARTUP", "PYTHONUSERBASE", "PYTHONINSPECT", "PYTHON_NEW_IN_3_99"],
  ...["PERL5OPT", "PERL5LIB", "PERL5DB", "PERLLIB", "RUBYOPT", "RUBYLIB", "GEM_HOME", "GEM_PATH", "BUNDLE_GEMFILE"],
  ...["PHPRC", "PHP_INI_SCAN_DIR", "TCLLIBPATH", "LUA_PATH", "LUA_INIT", "LUA_CPATH"],
  ...["JAVA_TOOL_OPTIONS", "_JAVA_OPTIONS", "JDK_JAVA_OPTIONS", "CLASSPATH"],
];

describe.each(LOADERS)("%s", (name) => {
  const env = { [name]: "/nowhere" };

  test("does not reach a hook of the user", () => expect(userEnvironment(env)).not.toHaveProperty([name]));

  test("does not reach a hook of a project", () =>
    expect(projectEnvironment(env, SEARCH, [])).not.toHaveProperty([name]));

  test("does not come from a project's own MCP server entry", () =>
    expect(serverEnvironment(env, SEARCH, true)).not.toHaveProperty([name]));
});
