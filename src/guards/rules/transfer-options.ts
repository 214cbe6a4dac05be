import type { OptionSpec } from "../command/options.ts";

/** The options of curl that take a value, and long ones without. */
export const curlOptions = (): OptionSpec => ({
  values:
    "-A -b -c -C -d -D -e -E -F -H -K -m -o -P -Q -r -t -T -u -U -w -x -X -y -Y -z --data --data-ascii --data-binary --data-raw --data-urlencode --json --form --form-string --upload-file --output --output-dir --url --url-query --header --proxy-header --request --user --user-agent --referer --cookie --cookie-jar --config --connect-timeout --max-time --max-redirs --retry --retry-delay --retry-max-time --proxy --proxy-user --cacert --capath --cert --cert-type --key --key-type --pass --ciphers --resolve --connect-to --interface --dns-servers --limit-rate --range --write-out --dump-header --continue-at --speed-limit --speed-time --time-cond --quote --noproxy --unix-socket --abstract-unix-socket --oauth2-bearer --netrc-file --stderr --trace --trace-ascii --tls-max --tlsv --socks5 --socks5-hostname --socks4 --socks4a --preproxy --max-filesize --max-time --keepalive-time --local-port --aws-sigv4 --etag-save --etag-compare --expect100-timeout --ftp-port --hostpubmd5 --pinnedpubkey --post301 --proto --proto-default --proto-redir --parallel-max --rate --request-target --service-name --tftp-blksize --doh-url --engine".split(
      " ",
    ),
  flags:
    "--silent --show-error --location --fail --insecure --include --head --get --remote-name --remote-name-all --remote-header-name --compressed --verbose --version --help --create-dirs --fail-with-body --next".split(
      " ",
    ),
});

/** The options of wget that take a value, and long ones without. */
export const wgetOptions = (): OptionSpec => ({
  values:
    "-O -o -a -e -i -B -t -T -w -Q -P -U -l -A -R -D -I -X --output-document --output-file --append-output --execute --input-file --base --tries --timeout --wait --quota --directory-prefix --user-agent --user --password --header --method --body-data --body-file --post-data --post-file --referer --load-cookies --save-cookies --level --accept --reject --domains --certificate --private-key --ca-certificate --ca-directory --http-user --http-password --proxy-user --proxy-password --limit-rate --waitretry --dns-timeout --connect-timeout --read-timeout --max-redirect --config --secure-protocol --ciphers --default-page --bind-address --prefer-family --progress".split(
      " ",
    ),
  flags:
    "--quiet --no-verbose --continue --recursive --no-check-certificate --spider --version --help --background --content-disposition --timestamping --no-clobber --mirror --page-requisites --show-progress".split(
      " ",
    ),
});
