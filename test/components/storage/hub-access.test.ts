import { describe, expect, it } from "vitest";
import { hubEnd, hubVariables } from "../../../components/storage/hub-access";
import { CLUSTER_ENDPOINT } from "../../../components/storage/store-server";
import { INTERNET, NETWORKS } from "../../harness/connections";
import { problemsWith } from "../../stacks/config/samples";
import { changedRun } from "../../stacks/run";

const HUB = { url: "https://hub.example.com/", networks: ["10.20.0.7/32"] };
const PROXY = { url: "http://proxy.example.com:3128", networks: ["10.20.0.8/32"] };

describe("the way to the Hugging Face Hub", () => {
  it("is the internet, a mirror's addresses, or those of the proxy in front of either", () => {
    expect(hubEnd({}, NETWORKS)).toEqual({ to: [INTERNET], port: 443 });
    expect(hubEnd({ hub: HUB }, NETWORKS)).toEqual({ to: [{ cidr: "10.20.0.7/32" }], port: 443 });
    expect(hubEnd({ hub: HUB, proxy: PROXY }, NETWORKS)).toEqual({ to: [{ cidr: "10.20.0.8/32" }], port: 3128 });
  });

  it("is told to the Job in Node's own variables, without the store and the API server behind it", () => {
    expect(hubVariables({}, CLUSTER_ENDPOINT)).toEqual([]);
    expect(
      Object.fromEntries(
        hubVariables({ hub: HUB, proxy: PROXY }, CLUSTER_ENDPOINT).map(({ name, value }) => [name, value]),
      ),
    ).toEqual({
      HF_ENDPOINT: "https://hub.example.com",
      NODE_USE_ENV_PROXY: "1",
      HTTPS_PROXY: PROXY.url,
      HTTP_PROXY: PROXY.url,
      NO_PROXY: expect.stringMatching(/^minio\.model-store\.svc[^,]*,\$\(KUBERNETES_SERVICE_HOST\)$/),
    });
  });

  it("is a server outside, by https in production; a proxy may speak http", () => {
    const said = (storage: object) => problemsWith({ stage: "production", storage }).map(({ path }) => path);
    expect(said({ hub: HUB, proxy: PROXY })).not.toContainEqual(expect.stringMatching(/^storage/));
    expect(said({ hub: { url: "http://hub.example.com" } })).toContain("storage.hub.url");
    expect(said({ proxy: { url: "http://user:word@proxy.example.com:3128" } })).toContain("storage.proxy.url");
    expect(said({ proxy: { url: "http://169.254.169.254" } })).toContain("storage.proxy.url");
  });

  it("is in the Jobs and the NetworkPolicies of an environment", async () => {
    const { deployment } = await changedRun("oci-a10", { storage: { hub: HUB, proxy: PROXY } });
    const jobs = JSON.stringify(deployment.ofType("kubernetes:batch/v1:Job").map(({ inputs }) => inputs));
    expect(jobs).toContain("https://hub.example.com");
    const policies = JSON.stringify(
      deployment.ofType("kubernetes:networking.k8s.io/v1:NetworkPolicy").map(({ inputs }) => inputs),
    );
    expect(policies).toContain("10.20.0.8/32");
  });
});
