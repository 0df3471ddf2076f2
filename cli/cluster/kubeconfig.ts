/**
 * Finds a cluster as kubectl and Pulumi do:
 * https://kubernetes.io/docs/concepts/configuration/organize-cluster-access-kubeconfig
 */
import { readFileSync } from "node:fs";
import { homedir } from "node:os";
import { delimiter, dirname, join, resolve } from "node:path";
import { parse } from "yaml";
import { z } from "zod";
import { isFileSystemError } from "../io";
import { NotAsked } from "./failure";

const text = z.string();

const exec = z.object({
  apiVersion: text.optional(),
  command: text,
  args: z.array(text).nullish(),
  env: z.array(z.object({ name: text, value: text })).nullish(),
  provideClusterInfo: z.boolean().nullish(),
});

/** Unknown keys are other programs'. */
const file = z.object({
  "current-context": text.nullish(),
  clusters: z.array(z.object({ name: text, cluster: z.record(text, z.unknown()) })).nullish(),
  contexts: z.array(z.object({ name: text, context: z.object({ cluster: text, user: text.nullish() }) })).nullish(),
  users: z.array(z.object({ name: text, user: z.record(text, z.unknown()).nullish() })).nullish(),
});

/** A credentials program, as in a kubeconfig's `exec`. */
export type ExecPlugin = z.infer<typeof exec>;

/** API server and its identity. */
export interface ClusterAddress {
  readonly server: string;
  /** PEM. Undefined: this machine's CAs. */
  readonly ca?: string;
  /** Certificate name, where not the server's. */
  readonly serverName?: string;
  /** Skips the certificate check, as the kubeconfig requests. */
  readonly insecure: boolean;
}

/** Credentials; never printed. */
export interface ClusterLogin {
  readonly token?: string;
  /** Read for each run. */
  readonly basic?: { readonly username: string; readonly password: string };
  /** PEM. */
  readonly certificate?: string;
  readonly key?: string;
  readonly exec?: ExecPlugin;
}

export interface ClusterContext {
  readonly context: string;
  readonly address: ClusterAddress;
  readonly login: ClusterLogin;
}

export interface KubeconfigSource {
  /** Overrides `KUBECONFIG`. */
  readonly kubeconfig?: string;
  /** Content of a kubeconfig in place of a file, never on disk. */
  readonly text?: string;
  /** @default the current context */
  readonly context?: string;
}

interface Loaded {
  readonly folder: string;
  readonly content: z.infer<typeof file>;
}

/**
 * The context that kubectl would choose.
 *
 * @throws NotAsked naming the wrong file, context or key.
 */
export function clusterContext(source: KubeconfigSource, env: NodeJS.ProcessEnv = process.env): ClusterContext {
  const paths = kubeconfigPaths(source, env);
  const loaded =
    source.text === undefined
      ? paths.flatMap((path) => load(path, source.kubeconfig !== undefined))
      : [parsedKubeconfig("from the stack's outputs", ".", source.text)];
  if (loaded.length === 0) {
    throw new NotAsked(`there is no kubeconfig: ${paths.join(", ")}`, [
      "make one: your cloud's command (oci ce cluster create-kubeconfig, aws eks update-kubeconfig), or k3s's /etc/rancher/k3s/k3s.yaml",
      "name one: export KUBECONFIG=<file>, or --kubeconfig <file>",
    ]);
  }
  // kubectl's merge: the first file with a name or current context wins.
  const name = source.context ?? first(loaded, ({ content }) => content["current-context"] || undefined);
  const names = loaded.flatMap(({ content }) => content.contexts ?? []).map((context) => context.name);
  const choices = names.length > 0 ? names.slice(0, 10).join(", ") : "none";
  if (name === undefined) {
    throw new NotAsked("the kubeconfig has no current context", [
      `name one under inference-stacks:cluster (kubeContext), or with --kube-context; contexts: ${choices}`,
      "kubectl config use-context <name>",
    ]);
  }
  const context = named(loaded, "contexts", name)?.entry.context;
  if (context === undefined) {
    throw new NotAsked(`the kubeconfig has no context "${name}"`, [
      `name one of these: ${choices}`,
      "name another file: export KUBECONFIG=<file>, or --kubeconfig <file>",
    ]);
  }
  const cluster = named(loaded, "clusters", context.cluster);
  if (cluster === undefined) {
    throw new NotAsked(`context "${name}" names the cluster "${context.cluster}", which the kubeconfig lacks`, [
      "make the kubeconfig anew with the tool that wrote it",
    ]);
  }
  const user = named(loaded, "users", context.user ?? "");
  return {
    context: name,
    address: addressOf(cluster.entry.cluster, cluster.folder),
    login: user === undefined ? {} : loginOf(user.entry.user ?? {}, user.folder),
  };
}

function kubeconfigPaths({ kubeconfig }: KubeconfigSource, env: NodeJS.ProcessEnv): string[] {
  if (kubeconfig !== undefined) {
    return [resolve(kubeconfig)];
  }
  const listed = (env.KUBECONFIG ?? "").split(delimiter).filter((path) => path !== "");
  return listed.length > 0 ? listed.map((path) => resolve(path)) : [join(env.HOME ?? homedir(), ".kube", "config")];
}

/** kubectl ignores missing files; one named explicitly must exist. */
function load(path: string, mustExist: boolean): Loaded[] {
  let content: string;
  try {
    content = readFileSync(path, "utf8");
  } catch (error) {
    if (!isFileSystemError(error)) {
      throw error;
    }
    if (error.code === "ENOENT" && !mustExist) {
      return [];
    }
    throw new NotAsked(`the kubeconfig ${path} cannot be read (${error.code})`, [
      "name another file, or correct its rights",
    ]);
  }
  return [parsedKubeconfig(path, dirname(path), content)];
}

/** @param name for messages. @param folder base of relative paths. */
function parsedKubeconfig(name: string, folder: string, content: string): Loaded {
  let value: unknown;
  try {
    value = parse(content);
  } catch {
    // The parser's message quotes the file, which holds secrets.
    throw new NotAsked(`the kubeconfig ${name} is no YAML`, ["make it anew with the tool that wrote it"]);
  }
  const parsed = file.safeParse(value ?? {});
  if (!parsed.success) {
    const where = parsed.error.issues[0]?.path.join(".") ?? "";
    throw new NotAsked(`the kubeconfig ${name} is not one: ${where || "its content"} is not as expected`, [
      "make it anew with the tool that wrote it",
    ]);
  }
  return { folder, content: parsed.data };
}

function first<T>(loaded: readonly Loaded[], pick: (file: Loaded) => T | undefined): T | undefined {
  for (const one of loaded) {
    const found = pick(one);
    if (found !== undefined) {
      return found;
    }
  }
  return undefined;
}

type Section = "clusters" | "contexts" | "users";
type Entry<S extends Section> = NonNullable<z.infer<typeof file>[S]>[number];

function named<S extends Section>(
  loaded: readonly Loaded[],
  section: S,
  name: string,
): { readonly entry: Entry<S>; readonly folder: string } | undefined {
  return first(loaded, ({ content, folder }) => {
    const entries = (content[section] ?? []) as readonly Entry<S>[];
    const entry = entries.find((candidate) => candidate.name === name);
    return entry === undefined ? undefined : { entry, folder };
  });
}

function addressOf(cluster: Readonly<Record<string, unknown>>, folder: string): ClusterAddress {
  const server = textOf(cluster, "server");
  if (server === undefined || !URL.canParse(server) || !/^https?:$/.test(new URL(server).protocol)) {
    throw new NotAsked("the kubeconfig's cluster has no server with an https:// address", [
      "make the kubeconfig anew with the tool that wrote it",
    ]);
  }
  if (textOf(cluster, "proxy-url") !== undefined) {
    throw new NotAsked(
      "the kubeconfig reaches its cluster through a proxy (proxy-url), which doctor does not speak to",
      ["run it where the API server is reached directly, or forward a port to it and set server and tls-server-name"],
    );
  }
  const ca = dataOrFile(cluster, "certificate-authority", folder);
  const serverName = textOf(cluster, "tls-server-name");
  return {
    server: server.replace(/\/+$/, ""),
    ...(ca !== undefined && { ca }),
    ...(serverName !== undefined && { serverName }),
    insecure: cluster["insecure-skip-tls-verify"] === true,
  };
}

function loginOf(user: Readonly<Record<string, unknown>>, folder: string): ClusterLogin {
  if (user["auth-provider"] != null) {
    throw new NotAsked("the kubeconfig's user has an auth-provider, which doctor does not know", [
      "use an exec plugin instead, such as kubelogin for OIDC",
    ]);
  }
  const token = tokenOf(user, folder);
  const [username, password] = [textOf(user, "username"), textOf(user, "password")];
  const certificate = dataOrFile(user, "client-certificate", folder);
  const key = dataOrFile(user, "client-key", folder);
  const plugin = user.exec == null ? undefined : exec.safeParse(user.exec);
  if (plugin?.success === false) {
    throw new NotAsked("the kubeconfig's user has an exec plugin without a command", [
      "make the kubeconfig anew with the tool that wrote it",
    ]);
  }
  return {
    ...(token !== undefined && { token }),
    ...(username !== undefined && password !== undefined && { basic: { username, password } }),
    ...(certificate !== undefined && { certificate }),
    ...(key !== undefined && { key }),
    ...(plugin !== undefined && { exec: commandFrom(plugin.data, folder) }),
  };
}

/** As for kubectl, commands with a slash are relative to the file; others are on the PATH. */
function commandFrom(plugin: ExecPlugin, folder: string): ExecPlugin {
  return /[/\\]/.test(plugin.command) ? { ...plugin, command: resolve(folder, plugin.command) } : plugin;
}

function tokenOf(user: Readonly<Record<string, unknown>>, folder: string): string | undefined {
  const path = textOf(user, "tokenFile");
  return path === undefined ? textOf(user, "token") : textFile(resolve(folder, path)).trim();
}

/** `<name>-data` in base64, or the file `<name>`. */
function dataOrFile(entry: Readonly<Record<string, unknown>>, name: string, folder: string): string | undefined {
  const data = textOf(entry, `${name}-data`);
  if (data !== undefined) {
    return Buffer.from(data, "base64").toString("utf8");
  }
  const path = textOf(entry, name);
  return path === undefined ? undefined : textFile(resolve(folder, path));
}

function textFile(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    if (!isFileSystemError(error)) {
      throw error;
    }
    throw new NotAsked(`the kubeconfig names ${path}, which cannot be read (${error.code})`, [
      "make the kubeconfig anew with the tool that wrote it",
    ]);
  }
}

function textOf(entry: Readonly<Record<string, unknown>>, key: string): string | undefined {
  const value = entry[key];
  return typeof value === "string" && value !== "" ? value : undefined;
}
