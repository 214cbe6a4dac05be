import { UNKNOWN } from "../../command/call.ts";

/** A file that holds credentials. `likely`: files of this name often hold something else. */
export interface Credential {
  readonly what: string;
  readonly certainty: "sure" | "likely";
}

type Kind = readonly [certainty: Credential["certainty"], what: string, clues: string, path: RegExp, except?: RegExp];

const TEMPLATE =
  /[._-](?:examples?|samples?|templates?|tmpl|tpl|dist|defaults?|schema|spec|vault|enc|encrypted|age|gpg)(?=$|[._-])/;
const PUBLIC_PEM =
  /(?:^|[/._-])(?:ca|cacert|certs?|chain|fullchain|bundle|public|pub|root|certificates?|intermediate|isrg\w*|dh(?:param\w*)?)[\d._-]*\.pem$/;
const SAMPLES =
  /(?:^|\/)(?:node_modules|vendor|tests?|__tests__|spec|fixtures?|testdata|test-data|examples?|samples?|mocks?|site-packages|dist-packages|__pycache__|docs?)\//;
const DATA = String.raw`(?:\.(?:json|ya?ml|toml|ini|db|sqlite|txt|xml|conf|cfg|lock|bin|dat))?`;

/** Repositories have such files as samples; their own place is a home. */
const OUTSIDE_HOME = /^(?!\/(?:home|users)\/[^/]+\/\.|\/root\/|\/etc\/|\/var\/(?:lib|root)\/)/;

/**
 * The files of each kind: texts of which every such path contains one, a pattern for the path in lower case without the
 * suffix of a copy, and one for files of this place or name that hold no secret. To compile all the patterns for a path
 * without any of the texts would take a millisecond.
 */
export const CREDENTIAL_KINDS: readonly Kind[] = [
  [
    "sure",
    "environment secrets",
    ".env",
    /(?:^|\/)\.env(?:\.[\w.-]*)?$/,
    new RegExp(`${TEMPLATE.source}|\\.env\\.test(?:ing)?$|\\.d\\.[cm]?ts$`),
  ],
  ["likely", "environment secrets", ".env", /(?:^|\/)\.env\.test(?:ing)?$/],
  [
    "sure",
    "a private SSH key",
    "id_|_rsa|_dsa|_ecdsa|_ed25519|.ppk",
    /(?:^|\/)(?:[\w.-]*[_-])?id_(?:rsa|dsa|ecdsa|ed25519|xmss)(?:_sk)?(?:[.-][\w.-]*)?$|\/[\w.-]+_(?:rsa|dsa|ecdsa|ed25519)$|\.ppk$/,
    /\.(?:pub|md|html|c|h|go|rs|py|js|ts|txt)(?:$|\.)/,
  ],
  ["sure", "private SSH keys", ".ssh", /(?:^|\/)\.ssh$/],
  ["sure", "a host key", "ssh_host_", /\/ssh_host_\w+_key$/],
  ["sure", "AWS credentials", ".aws", /(?:^|\/)\.aws(?:$|\/(?:credentials|(?:sso|cli)\/cache))/],
  [
    "sure",
    "Google Cloud credentials",
    "gcloud|.gcp",
    /(?:^|\/)(?:\.config\/gcloud|\.gcp)(?:$|\/(?:application_default_credentials\.json|credentials\.db|access_tokens\.db|legacy_credentials.*|.*credentials?.*)$)/,
    OUTSIDE_HOME,
  ],
  ["sure", "Azure credentials", ".azure", /(?:^|\/)\.azure(?:$|\/(?!config$|clouds\.config$))/, OUTSIDE_HOME],
  [
    "sure",
    "cluster credentials",
    ".kube|/etc/kubernetes/",
    /(?:^|\/)\.kube(?:$|\/config[^/]*$)|\/etc\/kubernetes\/(?:admin|kubelet|super-admin)\.conf$/,
    OUTSIDE_HOME,
  ],
  [
    "sure",
    "container registry credentials",
    ".docker|containers/auth.json",
    /(?:^|\/)(?:\.docker\/config\.json|\.dockercfg|\.dockerconfigjson|containers\/auth\.json)$/,
    OUTSIDE_HOME,
  ],
  [
    "sure",
    "package registry credentials",
    ".npmrc|.pypirc|.gem/|.cargo/|.composer/|.nuget/|.m2/",
    /(?:^|\/)(?:\.npmrc|\.pypirc|\.gem\/credentials|\.cargo\/credentials(?:\.toml)?|\.composer\/auth\.json|\.nuget\/nuget\.config|\.m2\/settings(?:-security)?\.xml)$/,
  ],
  [
    "sure",
    "login data",
    "netrc|.git-credentials|.pgpass|.my|.htpasswd|.s3cfg|.boto|.vault-token|.smbcredentials|.fetchmailrc|.msmtprc|.rclone.conf|.pulumi/|.terraform.d/|.dbshell|.erlang.cookie|.claude.json",
    /(?:^|\/)[._]netrc(?:\.gpg)?$|(?:^|\/)\.(?:git-credentials|pgpass|my\.cnf|mylogin\.cnf|htpasswd|s3cfg|boto|vault-token|smbcredentials|fetchmailrc|msmtprc|rclone\.conf|pulumi\/credentials\.json|terraform\.d\/credentials\.tfrc\.json|dbshell|erlang\.cookie|claude\.json)$/,
  ],
  [
    "sure",
    "login data",
    "hosts.yml|hub|config.y|rclone.conf|op/config|id.json|.tfrc.json",
    /(?:^|\/)(?:gh\/hosts\.yml|hub|glab-cli\/config\.yml|rclone\/rclone\.conf|doctl\/config\.yaml|fly\/config\.yml|op\/config|solana\/id\.json|credentials\.tfrc\.json)$/,
    /^(?!.*\.config\/).*hub$|^(?!\/(?:home|users|root|etc)\b)/,
  ],
  [
    "sure",
    "private GPG keys",
    ".gnupg",
    /(?:^|\/)\.gnupg(?:$|\/(?:private-keys|secring|.*\.key|s\.gpg|openpgp-revocs))/,
  ],
  [
    "sure",
    "stored passwords",
    ".password-store|keychain|keyring|wallet|.bitwarden|.1password|.keepass|.kdb|.opvault|.psafe3",
    /(?:^|\/)(?:\.password-store|keychains|keyrings|kwalletd?|\.bitwarden|\.1password|\.keepass\w*)(?:$|\/)|\.(?:kdbx?|keychain|keychain-db|keyring|agilekeychain|opvault|psafe3|wallet)$|(?:^|\/)wallet\.dat$/,
    /\/(?:node_modules|vendor)\//,
  ],
  [
    "sure",
    "stored passwords of a browser",
    "login data|cookies|web data|logins.json|key3.db|key4.db|signons.sqlite",
    /\/(?:login data|login data for account|cookies|web data|logins\.json|key[34]\.db|cookies\.sqlite|signons\.sqlite|cookies\.binarycookies)(?:-journal)?$/,
    /^(?!.*(?:chrom|mozilla|firefox|brave|edge|opera|vivaldi|safari|thunderbird|browser)).*$/,
  ],
  [
    "sure",
    "password hashes",
    "shadow|master.passwd|sudoers.d|opasswd",
    /^\/(?:private\/)?etc\/(?:g?shadow-?|master\.passwd|sudoers\.d\/.*|security\/opasswd)$/,
  ],
  [
    "sure",
    "private keys of the system",
    "/etc/ssl|/etc/pki|/etc/letsencrypt",
    /^\/etc\/(?:ssl|pki|letsencrypt)\/(?:.*\/)?(?:private|privkey[^/]*)(?:$|\/|\.pem$)/,
  ],
  ["sure", "secrets of a service", "run/secrets|.keytab", /^(?:\/var)?\/run\/secrets(?:$|\/)|\.keytab$/],
  ["sure", "the environment of a process", "/environ", /^\/proc\/[^/]+\/(?:task\/[^/]+\/)?environ$/],
  ["sure", "the memory of a process", "/mem|/kcore", /^\/proc\/(?:[^/]+\/(?:task\/[^/]+\/)?mem|kcore)$/],
  [
    "sure",
    "a private key",
    ".p12|.pfx|.pkcs12|.jks|.keystore|.p8|.pvk|.keypair",
    /\.(?:p12|pfx|pkcs12|jks|keystore|p8|pvk|keypair)$/,
    SAMPLES,
  ],
  [
    "likely",
    "a private key",
    ".key|.pem",
    /\.key$|(?:^|[/._-])(?:private|priv|server|client|tls|ssl|rsa|ec|signing|deploy)[\w-]*\.(?:pem|key)$|^(?!.*ca-certificates).*\.pem$/,
    new RegExp(`${SAMPLES.source}|${PUBLIC_PEM.source}|${TEMPLATE.source}`),
  ],
  ["likely", "a VPN profile with its key", ".ovpn", /\.ovpn$/, SAMPLES],
  [
    "likely",
    "credentials",
    "credential|secret|service",
    /(?:^|\/)(?:credentials?|client_secrets?(?:_[\w.-]+)?|service[_-]?account[\w.-]*|secrets?)\.(?:json|ya?ml|toml|ini|env)$|(?:^|\/)credentials$/,
    new RegExp(`${SAMPLES.source}|${TEMPLATE.source}|(?:^|/)(?:src|lib|app|charts?|templates?|k8s)/`),
  ],
];

/** Files with such names in hidden folders of the home, in which programs store their logins. */
const LOGIN_OF_PROGRAM = new RegExp(
  `/(?:[\\w.-]*[._-])?(?:auth|oauth|credentials?|creds|tokens?|secrets?|passwords?)(?:[._-][\\w-]*)?${DATA}$|/(?:mcp-oauth|mcp-secrets|oauth|credentials|secrets)(?:/|$)`,
);

/** Folders that mostly hold keys: reading them is normal, sending them is not. */
export const KEY_FOLDER = /\/(?:certs?|keys|private|secrets?|credentials|ssl|tls)(?:\/\*)?$/i;

const COPY_SUFFIX =
  /(?:~|[._-](?:gz|bz2|xz|zst|lz4|zip|b64|bak|backup|old|orig|save|saved|copy|tmp|swp|swo|prev|\d{1,14}))+$/;

let clues: readonly (readonly string[])[] | null = null;

/** True if a path contains one of the texts of the kind at this position. */
function hasClue(path: string, kind: number): boolean {
  clues ??= CREDENTIAL_KINDS.map(([, , texts]) => texts.split("|"));
  return clues[kind]?.some((clue) => path.includes(clue)) === true;
}

/** The credentials in a file; null for any other file. A glob that may match such a file is one. */
export function credentialAt(path: string, home: string): Credential | null {
  const lower = path.toLowerCase();
  const plain = lower.replace(COPY_SUFFIX, "");
  const globbed = namesOfGlob(lower);
  const names = [...new Set([lower, plain, ...globbed, ...globbed.map((name) => name.replace(COPY_SUFFIX, ""))])];
  for (const name of names) {
    const kind = CREDENTIAL_KINDS.find(
      ([, , , path, except], at) => hasClue(name, at) && path.test(name) && !except?.test(name),
    );
    if (kind !== undefined) return { what: kind[1], certainty: kind[0] };
  }
  return isLoginOfProgram(plain, home.toLowerCase()) ? { what: "the login of a program", certainty: "sure" } : null;
}

function isLoginOfProgram(path: string, home: string): boolean {
  const below = path.startsWith(`${home}/`) ? path.slice(home.length) : null;
  if (
    below === null ||
    !/^\/(?:\.|library\/)/.test(below) ||
    /\/(?:node_modules|site-packages|registry|src|skills|plugins|docs|cache|\.cache)\//.test(below)
  )
    return false;
  return LOGIN_OF_PROGRAM.test(below);
}

/** Sample names to match against a glob or an unknown part: `.env*`, `id_?sa`, `~/.ssh/*`. */
const SAMPLES_OF_NAMES = [
  ".env",
  ".env.local",
  ".env~",
  "id_rsa",
  "id_ed25519",
  "credentials",
  ".npmrc",
  ".netrc",
  ".pypirc",
  ".git-credentials",
  "shadow",
];

function namesOfGlob(path: string): readonly string[] {
  if (!/[*?[\0]/.test(path)) return [];
  const slash = path.lastIndexOf("/");
  const [folder, name] = [path.slice(0, slash + 1), path.slice(slash + 1)];
  const literal = name.replace(/\[[^\]]*\]|[^a-z0-9]/g, "");
  const isWide = literal.length < 2 && !/\/(?:\.ssh|\.aws)\/$/.test(folder);
  if (isWide || (name.includes(UNKNOWN) && literal.length < 2 && !folder.includes("/.ssh/"))) return [];
  const pattern = globPattern(name);
  return pattern === null ? [] : SAMPLES_OF_NAMES.filter((one) => pattern.test(one)).map((one) => folder + one);
}

function globPattern(glob: string): RegExp | null {
  if (glob.length > MOST_GLOB) return null;
  const source = glob.replace(/\[[^\]]*\]|[*\0]+|[?]|[^*?[\0]|\[/g, (part) => {
    if (/^[*\0]/.test(part)) return ".*";
    return part === "?" || part.length > 1 ? "." : part.replace(/[\\^$.|+(){}[\]]/g, "\\$&");
  });
  return new RegExp(`^${source}$`);
}

const MOST_GLOB = 100;
