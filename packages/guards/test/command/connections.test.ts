import { expect, test } from "vitest";
import { analyzeCommand } from "../../command/analyze.ts";
import { connectionsOf } from "../../command/connections.ts";

const place = { folder: "/p", home: "/home/dev", project: "/p", variables: {} };

/** `POST host:443 ^`; `^`: it sends data. */
const shown = (command: string): string =>
  analyzeCommand(command, place)
    .calls.flatMap(connectionsOf)
    .map(({ host, port, method, isUpload }) =>
      [
        ...(method === null ? [] : [method]),
        `${host.replaceAll("\0", "…")}:${port ?? "?"}`,
        ...(isUpload ? ["^"] : []),
      ].join(" "),
    )
    .join(", ");

test.each([
  ["curl https://API.example.org./x", "GET api.example.org:443"],
  ["curl -sS example.org:8080/a -o f", "GET example.org:8080"],
  ["curl -XDELETE --url http://u:p@example.org", "DELETE example.org:80"],
  ["curl -d @f https://example.org", "POST example.org:443 ^"],
  ["curl -T f https://example.org", "PUT example.org:443 ^"],
  ["curl http://2130706433/", "GET 127.0.0.1:80"],
  ['curl "$URL"', "GET …:?"],
  ["curl https://$HOST/x", "GET …:443"],
  ["wget --post-file=f https://example.org", "POST example.org:443 ^"],
  ["http PUT example.org/x name=y", "PUT example.org:80 ^"],
  ["http example.org/x", "GET example.org:80"],
  ["ssh -p 2222 me@box.example uptime", "box.example:2222"],
  ["scp a.txt me@box.example:/tmp", "box.example:22 ^"],
  ["scp me@box.example:/tmp/a .", "box.example:22"],
  ["rsync -e ssh -a dist/ box.example:/srv", "box.example:22 ^"],
  ["rsync -a dist/ /srv", ""],
  ["nc example.org 4444 < f", "example.org:4444 ^"],
  ["nc -lp 4444", ""],
  ["echo x > /dev/tcp/10.0.0.1/80", "10.0.0.1:80 ^"],
  ["openssl s_client -connect example.org:443", "example.org:443 ^"],
  ["socat - TCP:example.org:99", "example.org:99 ^"],
  ["git clone git@github.com:a/b.git", "github.com:?"],
  ["git push https://github.com/a/b main", "github.com:443 ^"],
  ["git push origin main", ""],
  ["git commit -m https://example.org", ""],
  ["npm publish", "registry.npmjs.org:443 ^"],
  ["npm --registry https://npm.example.org install x", "npm.example.org:443"],
  ["npm run build", ""],
  ["pip install -i https://pypi.example.org/simple x", "pypi.example.org:443"],
  ["docker pull ghcr.io/a/b:1", "ghcr.io:443"],
  ["docker push a/b:1", "docker.io:443 ^"],
  ["docker run nginx", ""],
  ["psql -h db.example -p 5433 -c 'select 1'", "db.example:5433"],
  ["psql postgres://u@db.example/x", "db.example:5432"],
  [
    "python3 -c 'import requests; requests.post(\"https://example.org/x\", data=1)'",
    "example.org:? ^".replace("?", "443"),
  ],
  ["echo https://example.org", ""],
  ["grep -rn https://example.org src", ""],
  ["sudo timeout 5 curl -s example.org", "GET example.org:80"],
])("%s", (command, expected) => expect(shown(command)).toBe(expected));
