import * as pulumi from "@pulumi/pulumi";
import { type OwnedResource, type Owner, ownerOf } from "../../kubernetes/owner";

/** URNs of dependencies. */
interface Origins {
  getUrnsList(): string[];
  setUrnsList(urns: string[]): void;
}

/** Used fields of a registration (pulumi/proto/resource.proto, RegisterResourceRequest). */
export interface Registration {
  getType(): string;
  getName(): string;
  getParent(): string;
  getCustom(): boolean;
  getObject(): { toJavaScript(): Readonly<Record<string, unknown>> } | undefined;
  getDependenciesList(): string[];
  setDependenciesList(urns: string[]): void;
  getPropertydependenciesMap(): { forEach(visit: (origins: Origins, property: string) => void): void };
}

/** Used fields of an answer. */
export interface Answer {
  getUrn(): string;
  getId(): string;
  getObject(): unknown;
  getPropertydependenciesMap(): unknown;
  getResult(): number;
}

type Answered = (error: Error | null, answer: Answer | undefined) => void;

/** The SDK's registration client. */
export interface Monitor {
  registerResource(request: Registration, answered: Answered): unknown;
}

/**
 * Hides the folder's resources from the engine: they are answered here with their inputs, so that
 * everything else is computed as without `gitops`. No dependency names them.
 *
 * @param monitor the SDK's, before the program registers anything.
 */
export function leaveToFolder(monitor: Monitor, owner: (resource: OwnedResource) => Owner = ownerOf): void {
  const register = monitor.registerResource.bind(monitor);
  const left = new Set<string>();
  const kept = (urns: readonly string[]) => urns.filter((urn) => !left.has(urn));
  monitor.registerResource = (request, answered) => {
    const urn = urnOf(request);
    if (request.getCustom() && owner({ urn }) === "folder") {
      left.add(urn);
      answered(null, answerTo(request, urn));
      return undefined;
    }
    if (left.has(request.getParent())) {
      throw new Error(`${urn} is the child of a resource that the rendered folder has: give it another parent`);
    }
    request.setDependenciesList(kept(request.getDependenciesList()));
    request.getPropertydependenciesMap().forEach((origins) => {
      origins.setUrnsList(kept(origins.getUrnsList()));
    });
    return register(request, answered);
  };
}

/** @throws Error where the program runs without an engine. */
export function engineMonitor(): Monitor {
  const monitor = pulumi.runtime.getMonitor();
  if (monitor === undefined) {
    throw new Error("no engine: run this program by pulumi");
  }
  return monitor as unknown as Monitor;
}

const STACK = "pulumi:pulumi:Stack";

/** As the engine would assign. */
function urnOf(request: Registration): string {
  const [, , above = ""] = request.getParent().split("::");
  const types = above === "" || above === STACK ? request.getType() : `${above}$${request.getType()}`;
  return `urn:pulumi:${pulumi.getStack()}::${pulumi.getProject()}::${types}::${request.getName()}`;
}

function answerTo(request: Registration, urn: string): Answer {
  return {
    getUrn: () => urn,
    getId: () => idOf(request),
    getObject: () => request.getObject(),
    getPropertydependenciesMap: () => undefined,
    getResult: () => 0,
  };
}

/** Ids of Kubernetes objects are their names. */
function idOf(request: Registration): string {
  const metadata = Object(request.getObject()?.toJavaScript().metadata) as { namespace?: unknown; name?: unknown };
  const names = [metadata.namespace, metadata.name].filter((part) => typeof part === "string");
  return names.length > 0 ? names.join("/") : request.getName();
}
