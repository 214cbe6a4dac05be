import { ownValue } from "../../protocol/own-value.ts";

/**
 * Secrets that are recognised by their own text, by kind. Each quantifier stops at a character that cannot follow it, so
 * that matching takes linear time. Hooks, tool output and the audit log share this list.
 */
export const tokenKinds = (): Readonly<Record<string, RegExp>> => ({
  "AWS access key": /(?:AKIA|ASIA|ABIA|ACCA)[0-9A-Z]{16}\b/,
  "GitHub token": /gh[pousr]_[A-Za-z0-9]{20,}|github_pat_[A-Za-z0-9_]{20,}/,
  "GitLab token": /gl(?:pat|rt|ptt|dt|ft|soat|cbt|imt|agent|oas|ffct)-[A-Za-z0-9_.-]{16,}/,
  "model provider key": /sk-[A-Za-z0-9_-]{16,}/,
  "Stripe key": /[rsp]k_(?:live|test)_[A-Za-z0-9]{16,}/,
  "webhook secret": /whsec_[A-Za-z0-9+/=_-]{16,}/,
  "Slack token": /xox[a-z](?:\.xox[a-z])?-[A-Za-z0-9-]{10,}|xapp-[A-Za-z0-9-]{10,}/,
  "Google API key": /AIza[0-9A-Za-z_-]{30,}/,
  "Google OAuth token": /(?:ya29\.|GOCSPX-)[A-Za-z0-9_-]{20,}|1\/\/0[A-Za-z0-9_-]{40,}/,
  "Azure client secret": /[A-Za-z0-9_~.]{3}[0-9]Q~[A-Za-z0-9_~.-]{31,}/,
  "npm token": /npm_[A-Za-z0-9]{30,}/,
  "PyPI token": /pypi-[A-Za-z0-9_-]{30,}/,
  "RubyGems key": /rubygems_[0-9a-f]{40,}/,
  "NuGet key": /oy2[a-z0-9]{43}\b/,
  "crates.io token": /cio[A-Za-z0-9]{32}\b/,
  "Docker Hub token": /dckr_(?:pat|oat)_[A-Za-z0-9_-]{20,}/,
  "Vault token": /hv[sbr]\.[A-Za-z0-9_-]{20,}/,
  "Terraform token": /[A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9_-]{40,}/,
  "Pulumi token": /pul-[0-9a-f]{40}/,
  "Hugging Face token": /(?:hf|api_org)_[A-Za-z0-9]{30,}/,
  "Groq key": /gsk_[A-Za-z0-9]{20,}/,
  "xAI key": /xai-[A-Za-z0-9]{20,}/,
  "NVIDIA key": /nvapi-[A-Za-z0-9_-]{20,}/,
  "Replicate token": /r8_[A-Za-z0-9]{20,}/,
  "Perplexity key": /pplx-[A-Za-z0-9]{30,}/,
  "Tavily key": /tvly-[A-Za-z0-9-]{20,}/,
  "LangSmith key": /lsv2_(?:pt|sk)_[A-Za-z0-9_]{30,}/,
  "Pinecone key": /pcsk_[A-Za-z0-9_]{30,}/,
  "Atlassian token": /AT(?:ATT|CTT)3x[A-Za-z0-9_=-]{20,}/,
  "Linear key": /lin_(?:api|oauth)_[A-Za-z0-9]{20,}/,
  "Notion token": /ntn_[A-Za-z0-9]{30,}/,
  "Airtable token": /pat[A-Za-z0-9]{14}\.[0-9a-f]{64}/,
  "Figma token": /figd_[A-Za-z0-9_-]{30,}/,
  "Postman key": /PMAK-[0-9a-f]{20,}-[0-9a-f]{20,}/,
  "New Relic key": /NRAK-[A-Z0-9]{20,}/,
  "Grafana token": /gl(?:sa|c)_[A-Za-z0-9_=+/]{30,}/,
  "Sentry token": /sntry[su]_[A-Za-z0-9_=+/.-]{30,}/,
  "PostHog key": /phx_[A-Za-z0-9]{30,}/,
  "Supabase token": /sb(?:p|_secret)_[A-Za-z0-9_-]{20,}/,
  "PlanetScale token": /pscale_(?:tkn|oauth|pw)_[A-Za-z0-9_.=-]{30,}/,
  "Doppler token": /dp\.(?:pt|st|ct|sa|scim|audit)\.[A-Za-z0-9._-]{30,}/,
  "DigitalOcean token": /do[ort]_v1_[A-Za-z0-9]{30,}|dop_v1_[A-Za-z0-9]{30,}/,
  "Heroku key": /HRKU-[A-Za-z0-9_-]{30,}/,
  "Netlify token": /nf[pcou]_[A-Za-z0-9]{36,}/,
  "Fly.io token": /f(?:m[12]r?|o1)_[A-Za-z0-9+/=_-]{40,}/,
  "Shopify token": /shp(?:at|ca|pa|ss)_[A-Za-z0-9]{30,}/,
  "Square token": /sq0[a-z]{3}-[A-Za-z0-9_-]{22,}/,
  "Databricks token": /dapi[0-9a-f]{32}/,
  "SendGrid key": /SG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}/,
  "Brevo key": /xkeysib-[0-9a-f]{64}/,
  "Mailchimp key": /[0-9a-f]{32}-us[0-9]{1,2}\b/,
  "Resend key": /re_[A-Za-z0-9]{8}_[A-Za-z0-9]{20,}/,
  "Twilio key": /SK[0-9a-f]{32}\b/,
  "Telegram bot token": /[0-9]{8,10}:AA[A-Za-z0-9_-]{30,}/,
  "Discord token": /[MNO][A-Za-z0-9_-]{23,27}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,}/,
  "age key": /AGE-SECRET-KEY-1[0-9A-Z]{40,}/,
  "SonarQube token": /sq[upa]_[A-Za-z0-9]{30,}/,
  "CircleCI token": /CCI(?:PAT|PRJ)_[A-Za-z0-9]{10,40}_[A-Za-z0-9]{20,}/,
  "Buildkite token": /bk(?:ua|at|aj|ct)_[A-Za-z0-9]{30,}/,
  "Bitbucket token": /ATBB[A-Za-z0-9]{28,}/,
  "Trello token": /ATTA[A-Za-z0-9]{40,}/,
  "Mapbox token": /sk\.ey[A-Za-z0-9_-]{20,}\.[A-Za-z0-9_-]{16,}/,
  "Dropbox token": /sl\.(?:u\.)?[A-Za-z0-9_-]{60,}/,
  "LaunchDarkly key": /(?<!-)(?:sdk|api|mob)-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/,
  "Tailscale key": /tskey-[a-z]{3,10}-[A-Za-z0-9]{5,40}-[A-Za-z0-9]{16,}/,
  "Vercel token": /vc[akipr]_[A-Za-z0-9]{24,}/,
  "Jina key": /jina_[A-Za-z0-9_-]{40,}/,
  "E2B key": /e2b_[A-Za-z0-9]{30,}/,
  "Render key": /rnd_[A-Za-z0-9]{24,}/,
  "Neon key": /napi_[A-Za-z0-9]{30,}/,
  "Segment or Sourcegraph token": /sgp_(?:[A-Za-z0-9]{16}_|local_)?[A-Za-z0-9]{40,}/,
  "JFrog token": /AKCp[A-Za-z0-9]{60,}|cmVmdGtu[A-Za-z0-9]{40,}/,
  "Mailgun key": /(?<!-)key-[0-9a-z]{32}\b/,
  "Notion secret": /secret_[A-Za-z0-9]{43}\b/,
  "Cloudflare key": /v1\.0-[0-9a-f]{16,}-[0-9a-f]{32,}|cf(?:ut|at|k)_[A-Za-z0-9_-]{40,}/,
  "PASETO token":
    /v[1-4]\.(?:local|public)\.[A-Za-z0-9_-]{30,}(?:\.[A-Za-z0-9_-]+)?|k[1-4]\.(?:local|secret)\.[A-Za-z0-9_-]{40,}/,
  "Firebase server key": /AAAA[A-Za-z0-9_-]{7}:APA91b[A-Za-z0-9_-]{40,}/,
  "Contentful token": /CFPAT-[A-Za-z0-9_-]{40,}/,
  "Dynatrace token": /dt0[a-z][0-9]{2}\.[A-Z0-9]{24}\.[A-Z0-9]{64}/,
  "EasyPost key": /EZ[AT]K[A-Za-z0-9]{54}/,
  "Shippo token": /shippo_(?:live|test)_[0-9a-f]{40}/,
  "Typeform token": /tfp_[A-Za-z0-9_.=-]{40,}/,
  "Prefect token": /pn[ub]_[A-Za-z0-9]{36}\b/,
  "ReadMe key": /rdme_[a-z0-9]{60,}/,
  "Alibaba Cloud key": /LTAI[A-Za-z0-9]{12,24}\b/,
  "HubSpot token": /pat-(?:na|eu|ap)[0-9]-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/,
  "OpenShift token": /sha256~[A-Za-z0-9_-]{43}/,
  "1Password token": /ops_eyJ[A-Za-z0-9+/=_-]{100,}/,
  "Snyk token": /snyk_[a-z]{3}\.[A-Za-z0-9._-]{30,}/,
  "Cerebras key": /csk-[a-z0-9]{40,}/,
  "ElevenLabs key": /sk_[0-9a-f]{48}\b/,
  "Razorpay key": /rzp_live_[A-Za-z0-9]{14,}/,
  "ClickUp token": /pk_[0-9]{5,12}_[A-Z0-9]{32}\b/,
  "GitLab registration token": /GR1348941[A-Za-z0-9_-]{20,}/,
  "Bedrock key": /ABSK[A-Za-z0-9+/]{100,}={0,2}/,
  "Clojars token": /CLOJARS_[0-9a-z]{60}/,
  "Deno Deploy token": /dd[op]_[A-Za-z0-9]{36}\b/,
  "WakaTime key": /waka_[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/,
  "Adafruit key": /aio_[A-Za-z0-9]{28}\b/,
  // Matched greedily and validated afterwards: requiring the dots here would take quadratic time.
  "JSON web token": /eyJ[A-Za-z0-9_-]{8,}(?:\.[A-Za-z0-9_-]+){0,4}/,
});

/** Kinds whose prefix also begins ordinary names, such as CSS classes: a match is validated by these functions. */
const IS_REAL: Readonly<Record<string, (token: string) => boolean>> = {
  "model provider key": (token) => token.split(/[-_]/).some((part) => part.length >= 16 && looksRandom(part)),
  "JSON web token": (token) => JWT_HEADER.test(token) || token.split(".").length === JWT_PARTS,
};

/** The first member of a header, `{"alg":`, `{"typ":`, `{"kid":`, `{"cty":`, `{"enc":`, `{"jku":` or `{"x5t":`, in base64. */
const JWT_HEADER = /^eyJ(?:hbGci|0eXAi|raWQi|jdHki|lbmMi|qa3Ui|4NXQi)/;
const JWT_PARTS = 3;

/** A token may also begin right after a colour code or an escaped line break, which end in a letter. */
const START = String.raw`(?:\b|(?<=\[[0-9;]{0,12}m|\\[nrt]))`;

let any: RegExp | null = null;
/** All tokens as one expression, so that a text is scanned once. Most texts need none. */
export function anyToken(): RegExp {
  any ??= new RegExp(
    `${START}(?:${Object.values(tokenKinds())
      .map(({ source }) => source)
      .join("|")})`,
    "g",
  );
  return any;
}

/** Returns the kind of a text that `anyToken` found; null if it is an ordinary name or a placeholder. */
export function kindOfToken(token: string): string | null {
  if (!(/[0-9]/.test(token) || RANDOM_CASE.test(token)) || isRepeated(token)) return null;
  const found = anchoredKinds().find(([, pattern]) => pattern.test(token));
  if (found === undefined) return null;
  const [kind] = found;
  return (ownValue(IS_REAL, kind) ?? looksRandom)(token) ? kind : null;
}

/** Capital letters inside a word: one in thirty tokens of twenty characters has no digit. */
const RANDOM_CASE = /[A-Z][a-z][A-Z][^a-z]|[a-z][A-Z]{2}[a-z][A-Z]|[A-Z][a-z][A-Z][a-z][A-Z]/;

let anchored: readonly (readonly [string, RegExp])[] | null = null;
/** The kinds as anchored patterns, built only when a token was found. */
function anchoredKinds(): readonly (readonly [string, RegExp])[] {
  anchored ??= Object.entries(tokenKinds()).map(([kind, { source }]) => [kind, new RegExp(`^(?:${source})`)]);
  return anchored;
}

/** True for `sk-xxxxxxxxxxxx`, as documents write it. */
const isRepeated = (text: string): boolean => /([A-Za-z0-9*.])\1{9}/.test(text);

/** True if a value is not a plain word: it has digits and letters, or many letters of both cases. */
export function looksRandom(value: string): boolean {
  const hasLower = /[a-z]/.test(value);
  const hasUpper = /[A-Z]/.test(value);
  if (hasLower && hasUpper && value.length >= LONG_VALUE) return true;
  return (hasLower || hasUpper) && /[0-9]/.test(value);
}

const LONG_VALUE = 16;
