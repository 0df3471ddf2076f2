/** Meaningful values that a schema could only call wrong. */
import { GPU_NODE_IMAGES, gpuNodeImagesOf } from "../../catalog/gpu-node-images";
import { gitopsMistake } from "../addons/gitops/mistakes";
import { plainReceiver } from "../addons/observability/plain-receivers";
import type { Path, ProblemDraft } from "./core/problems";
import { suggest, valueAt } from "./core/problems";
import { MESH_MODES } from "./core/sections/mesh";
import { flowYaml } from "./field-text";
import { prefixCacheMistake } from "./prefix-cache-mistakes";

/** Undefined for other values. One draft, whichever issue of the value asks. */
export function knownMistake(path: Path, input: unknown): ProblemDraft | undefined {
  return (
    plainReceiver(path, input) ??
    gitopsMistake(path, input) ??
    poolMistake(path, input) ??
    administratorMistake(path, input) ??
    groupMistake(path, input) ??
    numberOfReplicas(path, input) ??
    meshMistake(path, input) ??
    gpuNodeImageMistake(path, input) ??
    googleStorageMistake(path, input) ??
    prefixCacheMistake(path, input)
  );
}

/** Its S3 API serves the same objects. */
function googleStorageMistake(path: Path, input: unknown): ProblemDraft | undefined {
  const [section, model, key] = path;
  const value = valueAt(input, path);
  const [, bucket, prefix = "my-model"] = (typeof value === "string" && /^gc?s:\/\/([^/]+)\/*(.*)$/.exec(value)) || [];
  return section !== "models" || model === undefined || key !== "source" || bucket === undefined
    ? undefined
    : {
        path,
        value,
        allowed: "s3://bucket/prefix, also for Google Cloud Storage, whose S3 API serves the same objects",
        fix: `write s3://${bucket}/${prefix}, and add ${bucket} to storage.buckets with url: https://storage.googleapis.com, region: auto and an HMAC key (docs/own-weights.md)`,
      };
}

function poolMistake(path: Path, input: unknown): ProblemDraft | undefined {
  const [section, pool, key] = path;
  if (section !== "pools" || pool === undefined) {
    return undefined;
  }
  const at = [section, pool, ...(key === undefined ? [] : [key])];
  const value = valueAt(input, at);
  if (key === "shape" && Array.isArray(value)) {
    return {
      path: at,
      value,
      allowed: "one shape per pool: its nodes are interchangeable, and replicas that span nodes need equal machines",
      fix: "make a pool for each shape",
    };
  }
  if (key === "capacity" && typeof value === "object" && value !== null && "spot" in value) {
    return {
      path: at,
      value,
      allowed:
        "reservation" in value
          ? "spot or a reservation: preemptible machines cannot come out of a reservation"
          : "the word spot, without a mapping",
      fix: "reservation" in value ? "write capacity: spot, or keep the reservation alone" : "write capacity: spot",
    };
  }
  if (key === "localDisks" && typeof value === "boolean") {
    return {
      path: at,
      value,
      allowed: "one of pods, unused",
      fix: value
        ? "write pods, or remove it: pods' files are on the local disks by default; unused leaves the disks alone"
        : "write unused, which leaves the disks alone; pods puts pods' files on them, as by default",
    };
  }
  if (key === "sharing" && typeof value === "object" && value !== null && "mig" in value && "timeSlicing" in value) {
    return {
      path: at,
      value,
      allowed: "mig or timeSlicing, not both: slices have memory of their own, turns share the memory of a whole card",
      fix: "keep mig for pods that need memory of their own, or timeSlicing for those that take turns",
    };
  }
  return undefined;
}

/** A session ARN of `aws sts get-caller-identity` in place of its role, without its path. */
function administratorMistake(path: Path, input: unknown): ProblemDraft | undefined {
  const [section, kind, key] = path;
  const value = valueAt(input, path);
  const session = /^arn:(aws[a-z-]*):sts::(\d{12}):assumed-role\/([\w+=,.@-]+)\/.+$/.exec(
    section === "cluster" && kind === "eks" && key === "administrators" && typeof value === "string" ? value : "",
  );
  if (session === null) {
    return undefined;
  }
  const [, partition, account, role] = session;
  return {
    path,
    value,
    allowed: "the ARN of the role, with its path: this one is of a session of it, which ends",
    fix: role?.startsWith("AWSReservedSSO_")
      ? `write what "aws iam get-role --role-name ${role} --query Role.Arn" prints`
      : `write arn:${partition}:iam::${account}:role/${role}, with the role's path where it has one`,
  };
}

/** Server groups as lists or model names. */
function groupMistake(path: Path, input: unknown): ProblemDraft | undefined {
  const [section, group, key] = path;
  if (section !== "nodes") {
    return undefined;
  }
  const all = valueAt(input, [section]);
  const written = group === undefined || isName(valueAt(all, ["model"])) ? groupsOf(all) : undefined;
  if (written !== undefined) {
    const allowed = "a mapping of groups by their names";
    return { path: [section], value: all, allowed, fix: `write nodes: ${written}` };
  }
  const at = [section, ...(group === undefined ? [] : [group]), ...(key === undefined ? [] : [key])];
  const value = valueAt(input, at);
  if (group !== undefined && Array.isArray(value) && (key === undefined || key === "model")) {
    return {
      path: at,
      value,
      allowed: "one model for each group: any of its nodes may answer a request",
      fix: "make a group for each model",
    };
  }
  if (group !== undefined && key === undefined && isName(value)) {
    return { path: at, value, allowed: "a mapping with the group's model", fix: `write {model: ${value}}` };
  }
  if (key === "registrar" && typeof value === "string") {
    return { path: at, value, allowed: "a mapping with the registrar's URL", fix: "write {url: …} with that URL" };
  }
  return undefined;
}

/** A list of groups, or a model's name, as a mapping. */
function groupsOf(value: unknown): string | undefined {
  const entries = (Array.isArray(value) ? value : [value]).map((item: unknown): [string, string] | undefined => {
    const model = valueAt(item, ["model"]);
    const name = valueAt(item, ["name"]) ?? (isName(model) ? `${model}-nodes` : undefined);
    return isName(item) ? [`${item}-nodes`, item] : isName(name) && isName(model) ? [name, model] : undefined;
  });
  const known = entries.filter((entry) => entry !== undefined);
  return known.length > 0 && known.length === entries.length
    ? flowYaml(Object.fromEntries(known.map(([name, model]) => [name, { model }])))
    : undefined;
}

function isName(value: unknown): value is string {
  return typeof value === "string" && /^[a-z0-9]([a-z0-9-]{0,30}[a-z0-9])?$/.test(value);
}

/** `replicas: 2`, of a model or group. */
function numberOfReplicas(path: Path, input: unknown): ProblemDraft | undefined {
  const [section, , key] = path;
  const value = valueAt(input, path);
  const isReplicas = (section === "models" || section === "nodes") && key === "replicas" && path.length === 3;
  if (!isReplicas || typeof value !== "number" || !Number.isInteger(value) || value < 1) {
    return undefined;
  }
  const fix = `write {min: ${value}}, or {min: ${value}, max: …} where an autoscaler of yours may add some`;
  return { path, value, allowed: "a mapping with the keys min, max", fix };
}

/** The mode in place of the section, and collective names. */
function meshMistake(path: Path, input: unknown): ProblemDraft | undefined {
  if (path[0] !== "mesh") {
    return undefined;
  }
  const mesh = valueAt(input, ["mesh"]);
  if (typeof mesh === "string" || typeof mesh === "boolean") {
    const meant = MESH_MODES.find((mode) => mode === mesh) ?? (mesh === false ? "off" : "ambient");
    return {
      path: ["mesh"],
      value: mesh,
      allowed: "a mapping with the key mode, and others next to it",
      fix: `write mesh: {mode: ${meant}}`,
    };
  }
  const value = valueAt(input, path);
  if (path[1] === "egressHosts" && typeof value === "string" && value.includes("*")) {
    return {
      path,
      value,
      allowed: "names, without a wildcard: it would open servers that are not named",
      fix: "name each server that pods call",
    };
  }
  return undefined;
}

/** An unknown image: names of this cloud's node images only. */
function gpuNodeImageMistake(path: Path, input: unknown): ProblemDraft | undefined {
  const value = valueAt(input, path);
  const isOfNodes = path.length === 2 && path[0] === "cluster" && path[1] === "gpuNodeImage";
  if (!isOfNodes || typeof value !== "string" || GPU_NODE_IMAGES.some((image) => image === value)) {
    return undefined;
  }
  const images = gpuNodeImagesOf(valueAt(input, ["cluster", "kind"]));
  const fix = suggest(value, images, `write one of ${images.join(", ")}`);
  return { path, value, allowed: `one of ${images.join(", ")}`, fix };
}
