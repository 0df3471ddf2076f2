/** Addresses of repositories as git and browsers have them, in the place of https:// URLs. */
import { type Path, type ProblemDraft, valueAt } from "../../config/core/problems";
import { FOLDER_PATH } from "./config";

/** What is meant by a repository or path that the schema refuses; undefined for every other value. */
export function gitopsMistake(path: Path, input: unknown): ProblemDraft | undefined {
  const [section, key] = path;
  const value = valueAt(input, path);
  if (section !== "gitops" || path.length !== 2 || typeof value !== "string") {
    return undefined;
  }
  return key === "repository" ? repositoryMistake(value) : key === "path" ? pathMistake(value) : undefined;
}

/** `git@host:org/repo.git`, `ssh://git@host:22/org/repo.git`, `http://…`, `host/org/repo`. */
const REPOSITORY =
  /^(?:(?<scheme>[a-z+]+):\/\/)?(?:(?<user>[^@/\s:]+)@)?(?<host>[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)+)(?<port>:\d+(?=\/))?[:/]\/*(?<rest>[^\s?#@]+)$/;

function repositoryMistake(value: string): ProblemDraft | undefined {
  const { scheme, user, host = "", port = "", rest = "" } = REPOSITORY.exec(value)?.groups ?? {};
  if (host === "") {
    return undefined;
  }
  const path = ["gitops", "repository"];
  if (scheme === "https") {
    return Number(port.slice(1)) > 65_535
      ? { path, value, allowed: "a port from 1 to 65535", fix: `write https://${host}/${rest}, with the server's port` }
      : undefined;
  }
  const isSsh = scheme === "ssh" || scheme === "git+ssh" || (scheme === undefined && user !== undefined);
  // A port is that of the other protocol.
  const fix = `write https://${host}/${rest}${port === "" ? "" : ", with the port of the server's https:// where it is another than 443"}`;
  return isSsh
    ? {
        path,
        value,
        allowed: "an https:// URL: Argo CD reads the repository by https, without keys of SSH",
        fix: `${fix}; of a private repository set a token: pulumi config set --secret inference-stacks:gitopsToken`,
      }
    : { path, value, allowed: "an https:// URL: what is synced may change everything in the cluster", fix };
}

/** Where a path would be the repository's root, it has none to offer. */
function pathMistake(value: string): ProblemDraft | undefined {
  const meant = value
    .replace(/^(\.?\/+)+/, "")
    .replace(/\/+$/, "")
    .replaceAll(/\/{2,}/g, "/");
  const path = ["gitops", "path"];
  const allowed = "a path relative to the repository's root, without / at its begin and end";
  if (/^\.?$/.test(meant)) {
    return {
      path,
      value,
      allowed: "a folder below the repository's root, of this environment alone",
      fix: "write the path that npm run render writes to, for example clusters/edge-nvidia",
    };
  }
  return meant !== value && FOLDER_PATH.test(meant) ? { path, value, allowed, fix: `write ${meant}` } : undefined;
}
