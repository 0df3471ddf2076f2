import { execFile } from "node:child_process";
import { z } from "zod";
import { NotAsked } from "./failure";
import type { ClusterAddress, ClusterLogin, ExecPlugin } from "./kubeconfig";

/** https://kubernetes.io/docs/reference/access-authn-authz/authentication/#client-go-credential-plugins */
const answer = z.object({
  status: z.object({
    token: z.string().optional(),
    clientCertificateData: z.string().optional(),
    clientKeyData: z.string().optional(),
  }),
});

const DEFAULT_VERSION = "client.authentication.k8s.io/v1";
const MOST_BYTES = 1_000_000;

/**
 * Runs a kubeconfig's plugin, such as `oci ce cluster generate-token`, without a terminal, so that
 * prompts fail at once.
 *
 * @param seconds time limit.
 * @throws NotAsked without its output, which may be a token.
 */
export function execCredential(plugin: ExecPlugin, address: ClusterAddress, seconds: number): Promise<ClusterLogin> {
  const { command, args, env, apiVersion = DEFAULT_VERSION } = plugin;
  const variables = Object.fromEntries((env ?? []).map(({ name, value }) => [name, value]));
  return new Promise((resolve, reject) => {
    const child = execFile(
      command,
      args ?? [],
      {
        env: { ...process.env, ...variables, KUBERNETES_EXEC_INFO: execInfo(plugin, apiVersion, address) },
        timeout: seconds * 1000,
        killSignal: "SIGKILL",
        maxBuffer: MOST_BYTES,
      },
      (error, stdout, stderr) => {
        if (error) {
          reject(failureOf(error, command, stderr, seconds));
          return;
        }
        const login = loginFrom(stdout);
        if (login === undefined) {
          reject(
            new NotAsked(`"${command}", which the kubeconfig names, printed no credential`, [
              `run it by itself: ${[command, ...(args ?? [])].join(" ")}`,
            ]),
          );
          return;
        }
        resolve(login);
      },
    );
    child.stdin?.end();
  });
}

function execInfo({ provideClusterInfo }: ExecPlugin, apiVersion: string, { server, ca }: ClusterAddress): string {
  const cluster = {
    server,
    ...(ca !== undefined && { "certificate-authority-data": Buffer.from(ca).toString("base64") }),
  };
  return JSON.stringify({
    apiVersion,
    kind: "ExecCredential",
    spec: { interactive: false, ...(provideClusterInfo && { cluster }) },
  });
}

function failureOf(
  error: Error & { readonly code?: string | number | null; readonly killed?: boolean },
  command: string,
  stderr: string,
  seconds: number,
): NotAsked {
  const said = stderr.trim().split("\n").at(-1)?.slice(0, 300) ?? "";
  if (error.code === "ENOENT") {
    return new NotAsked(`"${command}", which the kubeconfig names, is not on the PATH`, [
      `install it: ${installation(command)}`,
    ]);
  }
  if (error.killed) {
    return new NotAsked(`"${command}", which the kubeconfig names, gave no credential within ${seconds} s`, [
      "log in anew with the cloud's command line; it may be waiting for that",
    ]);
  }
  return new NotAsked(
    `"${command}", which the kubeconfig names, failed${typeof error.code === "number" ? ` with status ${error.code}` : ""}${said === "" ? "" : `: ${said}`}`,
    ["log in anew with the cloud's command line", "run that command by itself: kubectl config view --minify shows it"],
  );
}

function installation(command: string): string {
  const known: Readonly<Record<string, string>> = {
    oci: "https://docs.oracle.com/iaas/Content/API/SDKDocs/cliinstall.htm",
    aws: "https://docs.aws.amazon.com/cli/latest/userguide/getting-started-install.html",
  };
  return known[command] ?? `the tool that made the kubeconfig brings ${command}`;
}

function loginFrom(stdout: string): ClusterLogin | undefined {
  let value: unknown;
  try {
    value = JSON.parse(stdout);
  } catch {
    return undefined;
  }
  const parsed = answer.safeParse(value);
  if (!parsed.success) {
    return undefined;
  }
  const { token, clientCertificateData: certificate, clientKeyData: key } = parsed.data.status;
  if (token === undefined && (certificate === undefined || key === undefined)) {
    return undefined;
  }
  return {
    ...(token !== undefined && { token }),
    ...(certificate !== undefined && { certificate }),
    ...(key !== undefined && { key }),
  };
}
