import { describe, expect, it } from "vitest";
import { isSystemFolder } from "../../names/system-folders";

describe("a folder of a node", () => {
  it.each([
    "/",
    "/usr/",
    "/bin",
    "/lib/modules",
    "/usr/lib64/x",
    "/./etc",
    "/var//run/x",
    "/srv/../etc",
    "/var/lib/cloud/instance",
    "/var/lib/containers/storage",
    "/var/snap/microk8s/current/credentials",
    "/home/ubuntu/.ssh",
    "/srv/.kube/cache",
  ])("is one of the system, or of credentials: %s", (path) => {
    expect(isSystemFolder(path)).toBe(true);
  });

  it.each([
    "/srv/models/chat",
    "/mnt/etc",
    "/data",
    "/home/ubuntu/models",
    "/home/ubuntu/.cache/huggingface",
    "/usr/share/models",
    "/usr/local/models",
    "/library/models",
    "/opt/models/.",
    "/var/lib/models",
  ])("is one of data: %s", (path) => {
    expect(isSystemFolder(path)).toBe(false);
  });
});
