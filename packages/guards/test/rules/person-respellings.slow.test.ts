import { expect, test } from "vitest";
import type { ScopedRule } from "../../../../src/protocol/rule-settings.ts";
import { examine } from "../../examine.ts";
import { judge, STANDARD_SETTINGS } from "../../judge.ts";
import { rules } from "../../rules/rules.ts";
import { RESPELLINGS } from "./respellings.ts";

const PLACE = { folder: "/home/dev/shop", home: "/home/dev", project: "/home/dev/shop", variables: {} };

/** The rule of a person, a call that it means, and global options that the call may have before its subcommand. */
interface Case {
  readonly match: string;
  readonly words: string;
  /** Other spellings of the same call. */
  readonly same: readonly string[];
}

const of = (match: string, words: string, ...same: readonly string[]): Case => ({ match, words, same });

const CASES: readonly Case[] = [
  of("npm publish *", "npm publish", "npm --loglevel silent publish", "npm publish --tag next ./dist", "npm publ"),
  of("pnpm publish *", "pnpm publish", "pnpm -r publish", "pnpm -C web publish --no-git-checks"),
  of("yarn npm publish *", "yarn npm publish", "yarn --cwd web npm publish", "yarn npm publish --tag x"),
  of("bun publish *", "bun publish", "bun publish --access public", "bun --cwd web publish"),
  of("npm install -g *", "npm install -g x", "npm i --global x", "npm add x -g", "npm -g install x"),
  of(
    "terraform apply *",
    "terraform apply",
    "terraform -chdir=infra apply -auto-approve",
    "terraform apply --auto-approve",
  ),
  of("tofu destroy *", "tofu destroy", "tofu -chdir=infra destroy", "tofu destroy -target x"),
  of("terragrunt apply *", "terragrunt apply", "terragrunt apply -auto-approve", "terragrunt apply --auto-approve"),
  of("pulumi up *", "pulumi up", "pulumi update -y", "pulumi -C infra up --yes", "pulumi up -s prod"),
  of(
    "kubectl delete pod *",
    "kubectl delete pod web",
    "kubectl -n shop delete pods web",
    "kubectl delete po/web --force",
  ),
  of("helm uninstall *", "helm uninstall web", "helm -n shop delete web", "helm del web --namespace shop"),
  of("oc delete *", "oc delete pod web", "oc --namespace shop delete pod web", "oc delete -f x.yml"),
  of("docker rm -f *", "docker rm -f web", "docker container rm --force web", "docker --context c rm web -f"),
  of("docker push *", "docker push a/b", "docker image push a/b", "docker -H tcp://x push a/b"),
  of(
    "docker compose down -v",
    "docker compose down -v",
    "docker-compose down --volumes",
    "docker compose -f x.yml down -v",
  ),
  of("podman rmi *", "podman rmi x", "podman image rm x", "podman --log-level debug rmi -f x"),
  of("git push --force *", "git push --force origin main", "git push -f", "git -C web push origin main --forc"),
  of("git rebase *", "git rebase main", "git -c user.name=x rebase main", "git rebase -i main"),
  of("git branch -D *", "git branch -D x", "git -C web branch -D x y", "git branch x -D"),
  of(
    "aws s3 rm *",
    "aws s3 rm s3://b/x",
    "aws --profile p s3 rm s3://b/x --recursive",
    "aws s3 --region eu rm s3://b/x",
  ),
  of("aws * delete-*", "aws ec2 delete-vpc --vpc-id x", "aws --output json s3api delete-bucket --bucket x"),
  of("gh pr merge *", "gh pr merge 12", "gh -R a/b pr merge 12 --squash", "gh pr merge --admin 12"),
  of("gh release create *", "gh release create v1", "gh release new v1", "gh release -R a/b create v1"),
  of("glab mr merge *", "glab mr merge 3", "glab mr accept 3", "glab -R a/b mr merge 3 -y"),
  of("psql -c *", "psql -c x", "psql --command=x", "psql -h db --command x", "psql -d shop -cx"),
  of("mysql -e *", "mysql -e x", "mysql --execute x", "mysql -u root -p --execute=x shop"),
  of("redis-cli FLUSHALL", "redis-cli FLUSHALL", "redis-cli -h db FLUSHALL", "redis-cli -n 2 FLUSHALL ASYNC"),
  of("mongosh --eval *", "mongosh --eval x", "mongosh --host db --eval=x", "mongosh db --eval x"),
  of("make deploy *", "make deploy", "make -C web deploy", "make --directory=web deploy ENV=prod", "make -j4 deploy"),
  of(
    "cargo publish *",
    "cargo publish",
    "cargo --color never publish",
    "cargo publish --allow-dirty",
    "cargo -Z x publish",
  ),
  of("pip install *", "pip install x", "pip3 install x", "python3 -m pip install x", "pip --proxy x install y"),
  of("twine upload *", "twine upload dist/a", "python -m twine upload dist/a", "twine upload -r pypi dist/a"),
  of("gem push *", "gem push a.gem", "gem push --host x a.gem", "gem push -k y a.gem"),
  of("curl -X DELETE *", "curl -X DELETE x.example", "curl -sXDELETE x.example", "curl x.example --request=DELETE"),
  of("rsync --delete *", "rsync --delete a b", "rsync -a --delete a b", "rsync -e ssh a b --delete"),
  of("ssh prod *", "ssh prod uptime", "ssh -p 22 prod uptime", "ssh -o A=b prod"),
  of("rm -rf *", "rm -rf x", "rm -fr x", "rm -r -f x", "rm --recursive --force x", "rm x -Rf"),
  of("chmod -R 777 *", "chmod -R 777 x", "chmod --recursive 777 x", "chmod 777 -R x"),
  of("systemctl stop *", "systemctl stop web", "systemctl --user stop web", "systemctl -H box stop web"),
  of(
    "gcloud run deploy *",
    "gcloud run deploy web",
    "gcloud --project p run deploy web",
    "gcloud run --region eu deploy web",
  ),
  of("az group delete *", "az group delete -n x", "az --subscription s group delete --name x", "az group delete -y"),
  of("heroku pg:reset *", "heroku pg:reset", "heroku pg:reset -a web", "heroku -a web pg:reset"),
  of("vercel deploy --prod *", "vercel deploy --prod", "vercel -t x deploy --prod", "vercel deploy -p"),
  of("fly deploy *", "fly deploy", "fly -a web deploy", "fly deploy --app web"),
  of("prisma migrate reset *", "prisma migrate reset", "npx prisma migrate reset -f", "pnpm exec prisma migrate reset"),
  of(
    "ansible-playbook site.yml *",
    "ansible-playbook site.yml",
    "ansible-playbook -i prod site.yml",
    "ansible-playbook site.yml -C",
  ),
  of("apt-get remove *", "apt-get remove x", "apt-get -y remove x", "apt-get -o A=b remove x"),
  of("brew uninstall *", "brew uninstall x", "brew remove x", "brew rm -f x"),
  of("go install *", "go install x", "go -C web install x", "go install -v x"),
  of("rails db:drop *", "rails db:drop", "rails db:drop -e test", "bundle exec rails db:drop"),
  of("acme deploy --env prod *", "acme deploy --env prod", "acme deploy --env=prod", "acme -v deploy web --env prod"),
];

const decide = (match: string, list: ScopedRule["list"], command: string): string => {
  const own: ScopedRule = { subject: "commands", list, match, file: "f", source: "config", level: 2, folder: null };
  const settings = { ...STANDARD_SETTINGS, rules: [own] };
  return judge(examine({ commands: [command], folder: null, files: [] }, PLACE), { rules, settings }).decision;
};

/** 200 or more ways to write a call: each other spelling in each way. */
const spellings = ({ words, same }: Case): readonly string[] => {
  const ways = Object.values(RESPELLINGS);
  const once = [words, ...same].flatMap((text) => ways.map((write) => write(text.split(" "))));
  const twice = ways.flatMap((write) => WRAPPERS.map((wrap) => wrap(write(words.split(" ")))));
  return [...once, ...twice];
};

const WRAPPERS: readonly ((text: string) => string)[] = [
  (text) => `if true; then\n${text}\nfi`,
  (text) => `for i in 1 2; do\n${text}\ndone`,
  (text) => `(cd web && {\n${text}\n})`,
  (text) => `export A=1\n${text}`,
  (text) => `true | tee x\n${text}`,
  (text) => `g() {\n${text}\n}\ng`,
  (text) => `[ -f x ] || {\n${text}\n}`,
];

test("rules for 40 programs keep their decision in 98 of 100 spellings, and in each list", () => {
  const programs = new Set(CASES.map(({ words }) => words.split(" ")[0]));
  expect(programs.size).toBeGreaterThanOrEqual(40);
  const missed: string[] = [];
  let count = 0;
  for (const one of CASES) {
    const all = spellings(one);
    expect(all.length).toBeGreaterThanOrEqual(200);
    for (const text of all) {
      count += 1;
      if (decide(one.match, "block", text) !== "block") missed.push(`${one.match}: ${text}`);
    }
    expect(decide(one.match, "ask", all.at(-1) ?? "")).toBe("ask");
  }
  expect({ missed: missed.slice(0, 20), isFew: missed.length <= count * 0.02 }).toMatchObject({ isFew: true });
});

/** Ways to mention a command without running it. */
const MENTIONS: readonly ((text: string) => string)[] = [
  (text) => `echo ${text}`,
  (text) => `git commit -m '${text}'`,
  (text) => `grep -rn "${text}" docs`,
  (text) => `cat <<'EOF' > notes.md\n${text}\nEOF`,
  (text) => `true # ${text}`,
  (text) => `man ${text.split(" ").slice(0, 2).join("-")}`,
  (text) => `printf '%s\\n' '${text}' >> notes.md`,
  (text) => `gh issue create --title '${text}' --body x`,
  (text) => `npm run ${text.split(" ").slice(0, 2).join("-")}-docs`,
  (text) => `rg -n '^${text}' README.md | head`,
  (text) => `sed -n '/${text.split(" ")[0]}/p' README.md`,
  (text) => `python3 -c 'print("${text}")'`,
  (text) => `which ${text.split(" ")[0]} && ${text.split(" ")[0]} --version`,
  (text) => `COMMAND='${text}'; echo "$COMMAND"`,
  (text) => `ls ${text.split(" ").at(-1)} node_modules/.bin/${text.split(" ")[0]}`,
];

test("no line that only mentions the words is stopped", () => {
  const lines = CASES.flatMap((one) => MENTIONS.map((mention) => [one.match, mention(one.words)] as const));
  expect(lines.length).toBeGreaterThanOrEqual(300);
  expect(lines.filter(([match, line]) => decide(match, "block", line) !== "allow")).toEqual([]);
});
