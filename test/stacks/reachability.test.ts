import type { AddressInfo } from "node:net";
import { createServer } from "node:net";
import * as pulumi from "@pulumi/pulumi";
import * as random from "@pulumi/random";
import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import { ofMade } from "../../components/core/known";
import { defaultAnswers } from "../../offline/answers";
import { isUserMistake } from "../../stacks/program";
import { addressOf, apiServerOf, assertReachable, UnreachableClusterError } from "../../stacks/reachability";
import { surroundingsOf } from "../../stacks/surroundings";
import { deploy } from "../harness/deploy";

const KUBECONFIG = kubeconfigOf({ server: "https://10.0.0.2:6443" });

function kubeconfigOf(cluster: Readonly<Record<string, string>>): string {
  return JSON.stringify({
    clusters: [
      { name: "other", cluster: { server: "https://192.0.2.1" } },
      { name: "cluster", cluster },
    ],
    contexts: [{ name: "context", context: { cluster: "cluster", user: "user" } }],
    "current-context": "context",
  });
}

/** What a deployment says where nobody answers. */
async function refusal(
  kubeconfig: string,
  provision: "create" | "stack",
  { preview = false, kind = "oci" }: { readonly preview?: boolean; readonly kind?: "oci" | "edge" } = {},
): Promise<string | undefined> {
  let message: string | undefined;
  await deploy(
    async () => {
      new random.RandomId("cluster-recorded", { byteLength: 4 });
      await assertReachable(
        { kubeconfig: pulumi.secret(kubeconfig) },
        { kind, provision },
        { unreachable: async () => "no connection within 30 seconds" },
      ).catch((error: unknown) => {
        expect(error).toBeInstanceOf(UnreachableClusterError);
        // So it is told without a stack trace (stacks/index.ts).
        expect(isUserMistake(error)).toBe(true);
        message = (error as Error).message;
      });
    },
    { preview },
  );
  return message;
}

describe("the address of an API server", () => {
  it("is that of the current context", () => {
    expect(apiServerOf(KUBECONFIG)).toEqual({ host: "10.0.0.2", port: 6443 });
    expect(apiServerOf(kubeconfigOf({ server: "https://api.example.com" }))).toEqual({
      host: "api.example.com",
      port: 443,
    });
    expect(apiServerOf(kubeconfigOf({ server: "https://[2001:db8::1]:6443" }))).toEqual({
      host: "2001:db8::1",
      port: 6443,
    });
  });

  it("is that of its proxy, where it has one", () => {
    const proxied = kubeconfigOf({ server: "https://10.0.0.2:6443", "proxy-url": "socks5://localhost" });
    expect(apiServerOf(proxied)).toEqual({ host: "localhost", port: 1080 });
  });

  it("is none in any other text", () => {
    for (const text of ["", "a: [", "[]", "current-context: x", kubeconfigOf({}), kubeconfigOf({ server: "no url" })]) {
      expect(apiServerOf(text)).toBeUndefined();
    }
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(apiServerOf(text)).toBeUndefined();
      }),
    );
  });

  it("keeps every host and port that a URL can have", () => {
    fc.assert(
      fc.property(fc.domain(), fc.integer({ min: 1, max: 65_535 }), (host, port) => {
        expect(addressOf(`https://${host}:${port}`)).toEqual({ host, port });
      }),
    );
  });
});

describe("a cluster that does not answer", () => {
  it("stops a deployment with both ways out, where we made it", async () => {
    const message = await refusal(KUBECONFIG, "create");
    expect(message).toMatchInlineSnapshot(`
      "the Kubernetes API at 10.0.0.2:6443 does not answer from here: no connection within 30 seconds
        That address is private: only its own network, and what is connected to it, has a way there.
        This run changed nothing in the cluster. The cluster itself is made and recorded. Two ways out:
        - run \`pulumi up\` where it answers: on a machine of that network (a CI runner, a bastion host), or through a VPN or a bastion's SOCKS proxy (docs/clusters.md, Reaching a private API);
        - split the deployment: \`scope: cluster\` in this environment, and an environment with \`scope: platform\`, \`cluster.provision: stack\` and \`cluster.stackReference\` deployed from inside (docs/clusters.md)."
    `);
  });

  it("names the firewall of a machine that SSH has just reached, and no section of a cloud", async () => {
    const message = await refusal(KUBECONFIG, "create", { kind: "edge" });
    expect(message).toContain("10.0.0.2:6443 does not answer from here: no connection within 30 seconds");
    expect(message).toContain("ufw allow from <your address> to any port 6443 proto tcp");
    expect(message).toContain("installed and recorded");
    expect(message).not.toMatch(/oke|eks|bastion/);
  });

  it("has one way out, where others made it", async () => {
    const message = await refusal(kubeconfigOf({ server: "https://203.0.113.9:6443" }), "stack");
    expect(message).toContain("203.0.113.9:6443");
    expect(message).toContain("not private");
    expect(message).not.toContain("scope: cluster");
  });

  it("stops no preview, and is warned of there", async () => {
    const warn = vi.spyOn(pulumi.log, "warn").mockResolvedValue();
    expect(await refusal(KUBECONFIG, "create", { preview: true })).toBeUndefined();
    expect(warn.mock.calls.map(([text]) => text)).toEqual([
      expect.stringMatching(
        /^the Kubernetes API at 10\.0\.0\.2:6443 does not answer .*compares objects with the state alone/,
      ),
    ]);
  });

  it("is not asked offline, nor where the kubeconfig is the ambient one", async () => {
    const never = { unreachable: () => Promise.reject(new Error("asked")) };
    await assertReachable({ kubeconfig: undefined }, { kind: "local", provision: "existing" }, never);
    await assertReachable({ kubeconfig: pulumi.output(KUBECONFIG) }, { kind: "oci", provision: "create" }, {});
  });

  it("is not stopped for what its own clients can say better", async () => {
    expect(await refusal("not a kubeconfig", "create")).toBeUndefined();
  });
});

describe("a cluster that this run did not make", () => {
  it("is refused instead of waited for", async () => {
    const asked: unknown[] = [];
    const errors: unknown[] = [];
    await deploy(
      async () => {
        const cluster = new random.RandomId("cluster", { byteLength: 4 });
        const kubeconfig = ofMade(cluster, pulumi.output(KUBECONFIG));
        await assertReachable(
          { kubeconfig },
          { kind: "aws", provision: "create" },
          { unreachable: async (address) => void asked.push(address) },
        ).catch((error: unknown) => errors.push(error));
      },
      { answers: { ...defaultAnswers, id: () => "" } },
    );
    expect(errors).toEqual([expect.any(UnreachableClusterError)]);
    expect(asked).toEqual([]);
  });
});

describe("the surroundings of a deployment", () => {
  it("tell an address that answers from one that does not, and find the way through a proxy", async () => {
    const server = createServer().listen(0, "127.0.0.1");
    await new Promise((resolve) => server.once("listening", resolve));
    const { port } = server.address() as AddressInfo;
    const open = { host: "127.0.0.1", port };
    const closed = { host: "127.0.0.1", port: 1 };
    try {
      expect(await surroundingsOf({}, 1000).unreachable?.(open)).toBeUndefined();
      expect(await surroundingsOf({}, 1000).unreachable?.(closed)).toBe("ECONNREFUSED");
      const proxied = surroundingsOf({ HTTPS_PROXY: `http://127.0.0.1:${port}` }, 1000);
      expect(await proxied.unreachable?.(closed)).toBeUndefined();
    } finally {
      server.close();
    }
  });
});
