/** Forms with which the command lines of providers delete. Single objects count too: they are rarely all that they seem. */
export const PROVIDERS: Readonly<Record<string, readonly string[]>> = {
  aws: [
    ...["* delete-*|terminate-*|purge-*|destroy-*|remove-*|batch-delete-*|deregister-*|force-delete-*"],
    ...["kms schedule-key-deletion", "ec2 release-address", "kms disable-key", "organizations close-account"],
    ...["s3 rb", "s3 rm", "s3 sync --delete", "s3 mv --recursive"],
  ],
  gcloud: [
    "** delete|destroy|purge",
    "storage rm",
    "** storage rm",
    "storage rsync --delete-unmatched-destination-objects",
  ],
  gsutil: ["rm|rb", "rsync -d"],
  bq: ["rm", "** rm"],
  az: ["** delete|purge|untag|delete-*|purge-*"],
  "doctl|hcloud|linode-cli|vultr-cli|scw|oci|ibmcloud|openstack|civo|upctl|exo|ovhcloud|aliyun|tccli|yc": [
    "** delete|destroy|remove|rm|terminate|purge",
  ],
  heroku: ["destroy", "*:destroy", "*:delete", "domains:clear", "repo:reset"],
  "fly|flyctl": ["destroy", "** destroy|delete|remove|rm", "secrets unset"],
  "vercel|vc|now": ["remove|rm", "** remove|rm"],
  netlify: ["*:delete", "* delete"],
  railway: ["down|delete", "* delete"],
  firebase: ["*:delete", "*:remove", "hosting:disable", "projects:delete"],
  wrangler: ["delete", "** delete", "*:* delete"],
  supabase: ["** delete"],
  "neonctl|neon|pscale|turso|render|northflank": ["** delete|destroy"],
  "gh|glab|hub": ["repo|project|release|secret|variable|environment|cache|run|gist|ssh-key|gpg-key delete|archive"],
  "mc|mcli": ["rb|rm", "admin ** remove|rm|delete|disable|unset", "mirror --remove"],
  s3cmd: ["del|rm|rb", "sync --delete-removed"],
  s5cmd: ["rm|rb"],
  rclone: ["delete|purge|deletefile|rmdirs|cleanup"],
  restic: ["forget", "prune", "key remove"],
  borg: ["delete|prune"],
  "fastly|circleci|doppler|ldcli|flipt|pd|op|stripe|newrelic|datadog-ci|apigeecli|algolia|sentry-cli|auth0|okta|kong|deck":
    ["** delete|destroy|remove|rm|purge|reset"],
  azcopy: ["remove|rm", "sync --delete-destination=true", "sync --delete-destination=True"],
};
