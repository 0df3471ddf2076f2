import { execFile } from "node:child_process";
import { type ContainerEngine, type LocalClusterTool, localClusterTool } from "../../catalog/local-clusters";
import { OLDEST_PULUMI } from "../../names/oldest-pulumi";
import type { ClusterConfig } from "../../stacks/config";
import { type AskAws, awsCredentials, awsOnPath } from "./aws-credentials";
import { failed, passed, type Subject, type Verdict, warning } from "./checks/check";
import { type CredentialSources, ociCredentials } from "./oci-credentials";
import type { CheckResult } from "./result";

/** First line of a program's version; undefined if not on the PATH, empty without an answer. */
export type VersionOf = (command: string, args: readonly string[]) => Promise<string | undefined>;

const SECONDS = 10;
const INSTALL_PULUMI = "install it: https://www.pulumi.com/docs/install";

export const versionOnPath =
  (env: NodeJS.ProcessEnv): VersionOf =>
  (command, args) =>
    new Promise((resolve) => {
      const options = { env, timeout: SECONDS * 1000, killSignal: "SIGKILL" as const, maxBuffer: 100_000 };
      execFile(command, [...args], options, (error, stdout) => {
        const isMissing = error !== null && "code" in error && (error.code === "ENOENT" || error.code === "EACCES");
        resolve(isMissing ? undefined : (stdout.trim().split("\n")[0] ?? ""));
      }).stdin?.end();
    });

/** What the machine that `pulumi up` runs on needs; clouds' tools and credentials only where the cluster comes from a stack. */
export async function toolChecks(
  cluster: ClusterConfig,
  sources: CredentialSources,
  versionOf: VersionOf = versionOnPath(sources.env),
  askAws: AskAws = awsOnPath(sources),
): Promise<CheckResult[]> {
  const isExisting = cluster.provision === "existing";
  const own = !isExisting && (cluster.kind === "oci" || cluster.kind === "aws") ? CLOUD_TOOLS[cluster.kind] : undefined;
  const [pulumi, kubectl, found] = await Promise.all([
    versionOf("pulumi", ["version"]),
    versionOf("kubectl", ["version", "--client"]),
    own && versionOf(own.command, ["--version"]),
  ]);
  return [
    result(
      { check: "tool", title: "pulumi", needed: `on the PATH, ${OLDEST_PULUMI} or later` },
      isExisting && pulumi === undefined
        ? warning("not on the PATH: only npm run render deploys without it", INSTALL_PULUMI)
        : pulumiVerdict(pulumi),
    ),
    result(
      { check: "tool", title: "kubectl", needed: "on the PATH: pulumi up upgrades definitions of charts by it" },
      kubectl === undefined
        ? warning("not on the PATH", "install it: https://kubernetes.io/docs/tasks/tools")
        : passed(kubectl || "there"),
    ),
    ...(own
      ? [
          result(
            { check: "tool", title: own.command, needed: "on the PATH: the kubeconfig asks it for tokens" },
            found === undefined ? failed("not on the PATH", `install it: ${own.install}`) : own.verdict(found),
          ),
        ]
      : []),
    ...(cluster.kind === "oci" && cluster.oke ? ofOke(cluster.oke, sources) : []),
    ...(cluster.kind === "local" && cluster.local ? await ofContainers(cluster.local, versionOf) : []),
    ...(cluster.kind === "aws" && cluster.eks ? await ofEks(cluster.eks, askAws) : []),
  ];
}

interface CloudTool {
  readonly command: string;
  readonly install: string;
  readonly verdict: (version: string) => Verdict;
}

/** Cloud command lines, which create API tokens. */
const CLOUD_TOOLS: Readonly<Record<"oci" | "aws", CloudTool>> = {
  oci: {
    command: "oci",
    install: "https://docs.oracle.com/iaas/Content/API/SDKDocs/cliinstall.htm",
    verdict: (version) => passed(version || "there"),
  },
  aws: {
    command: "aws",
    install: "https://docs.aws.amazon.com/cli/latest/userguide/getting-started-install.html",
    verdict: (version) =>
      version.startsWith("aws-cli/1.")
        ? warning(version, "version 2 alone knows sessions of IAM Identity Center: upgrade it")
        : passed(version || "there"),
  },
};

/** Local cluster tool and container engine: checks versions only. */
async function ofContainers(
  { tool, engine }: { readonly tool: LocalClusterTool; readonly engine: ContainerEngine },
  versionOf: VersionOf,
): Promise<CheckResult[]> {
  const [made, run] = await Promise.all([versionOf(tool, ["version"]), versionOf(engine, ["--version"])]);
  const { install, oldest } = localClusterTool(tool);
  const there = (found: string | undefined, remedy: string): Verdict =>
    found === undefined ? failed("not on the PATH", remedy) : passed(found || "there");
  return [
    result(
      { check: "tool", title: tool, needed: `on the PATH, ${oldest} or later: it makes the cluster` },
      there(made, `install it: ${install}`),
    ),
    result(
      { check: "tool", title: engine, needed: "on the PATH, and running: the cluster is a container" },
      there(run, "install it, or name another cluster.local.engine"),
    ),
  ];
}

const QUOTAS: CheckResult = {
  check: "quotas",
  title: "Limits and capacity",
  needed: "room for the plan's pools in the account and region",
  status: "not asked",
  found: "pulumi preview asks, with your credentials, and refuses with the number that is too small",
  remedies: [],
};

async function ofEks(eks: Parameters<typeof awsCredentials>[0], askAws: AskAws): Promise<CheckResult[]> {
  const subject = {
    check: "credentials",
    title: "AWS credentials",
    needed: "of the cluster's account, and of one of its administrators",
  } as const;
  return [result(subject, await awsCredentials(eks, askAws)), QUOTAS];
}

function ofOke(oke: { readonly tenancyId: string; readonly compartmentId: string }, sources: CredentialSources) {
  const placeholders = Object.entries({ tenancyId: oke.tenancyId, compartmentId: oke.compartmentId }).filter(([, id]) =>
    id.includes("your-"),
  );
  const isPlaceholder = placeholders.length > 0;
  return [
    result(
      {
        check: "credentials",
        title: "OCI credentials",
        needed: "an API key, a session or the machine's own rights, of the cluster's tenancy",
      },
      isPlaceholder
        ? failed(
            `${placeholders.map(([key]) => `cluster.oke.${key}`).join(", ")}: an example, no OCID of yours`,
            "write your own under inference-stacks:cluster (oke); the console shows them under Tenancy details and Compartments",
          )
        : ociCredentials(oke.tenancyId, sources),
    ),
    { ...QUOTAS, needed: "room for the plan's pools in the tenancy and region" },
  ];
}

function pulumiVerdict(found: string | undefined): Verdict {
  if (found === undefined) {
    return failed("not on the PATH", INSTALL_PULUMI);
  }
  const [have, want] = [numbersOf(found), numbersOf(OLDEST_PULUMI)];
  if (have === undefined || want === undefined) {
    return warning("there, of a version that doctor cannot read", "pulumi version");
  }
  const older = have.major < want.major || (have.major === want.major && have.minor < want.minor);
  return older
    ? failed(
        found,
        `upgrade it to ${OLDEST_PULUMI} or later, an older one refuses the project: https://www.pulumi.com/docs/install`,
      )
    : passed(found);
}

function numbersOf(version: string): { readonly major: number; readonly minor: number } | undefined {
  const { major, minor } = /^v?(?<major>\d+)\.(?<minor>\d+)\./.exec(version)?.groups ?? {};
  return major === undefined ? undefined : { major: Number(major), minor: Number(minor) };
}

function result(subject: Subject, verdict: Verdict): CheckResult {
  return { ...subject, remedies: [], ...verdict };
}
