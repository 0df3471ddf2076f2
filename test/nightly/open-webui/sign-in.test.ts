/** Sign-in to the chat page by the issuer of `gateway.auth.oidc`, through the real gateway. */
import { describe, expect, it } from "vitest";
import { sharedBySuite } from "../../e2e/shared-by-suite";
import { ADMINISTRATOR, PAGE_HOSTNAME, PageTestbed } from "./page-testbed";
import { type Person, SignInIssuer } from "./sign-in-issuer";

const issuer = new SignInIssuer();
const testbed = sharedBySuite(() => PageTestbed.start((_request, response) => response.end("{}"), issuer));

const cookiesOf = (headers: { readonly "set-cookie"?: string[] }) =>
  (headers["set-cookie"] ?? []).map((cookie) => cookie.split(";")[0] ?? "");

/** A browser that signs a person in; the session's token, if it gets one, and where it ends. */
async function signIn(person: Person): Promise<{ readonly token: string | undefined; readonly end: string }> {
  const start = await testbed().ask({ path: "/oauth/oidc/login" });
  expect(start.status).toBe(302);
  const back = issuer.authorize(start.headers.location ?? "", person);
  expect(`${back.origin}${back.pathname}`).toBe(`https://${PAGE_HOSTNAME}/oauth/oidc/callback`);
  const headers = { cookie: cookiesOf(start.headers).join("; ") };
  const landed = await testbed().ask({ path: `${back.pathname}${back.search}`, headers });
  const token = cookiesOf(landed.headers)
    .find((cookie) => cookie.startsWith("token="))
    ?.slice("token=".length);
  return { token, end: landed.headers.location ?? String(landed.status) };
}

describe("sign-in by the issuer", () => {
  it("makes an account with the role of newUsers at the first time, and finds it at the next", async () => {
    const ann = { sub: "ann", email: "ann@example.com", name: "Ann" };
    for (const _ of ["first", "next"]) {
      const { token } = await signIn(ann);
      const session = await testbed().ask({ path: "/api/v1/auths/" }, token);
      expect([session.status, session.json()]).toEqual([200, expect.objectContaining({ role: "user", name: "Ann" })]);
    }
  });

  it("opens no account of another person by its e-mail address, and so not the administrator's", async () => {
    const { token, end } = await signIn({ sub: "mallory", email: ADMINISTRATOR, name: "Mallory" });
    expect(token).toBeUndefined();
    expect(end).toMatch(/error=/);
  });

  it("leads back to the address that is registered at the issuer, by whichever port a browser comes", async () => {
    const start = await testbed().ask({ path: "/oauth/oidc/login", headers: { host: `${PAGE_HOSTNAME}:8443` } });
    const back = issuer.authorize(start.headers.location ?? "", { sub: "ann", email: "ann@example.com", name: "Ann" });
    expect(back.origin).toBe(`https://${PAGE_HOSTNAME}`);
  });

  it("leaves sign-up by the page's own form refused", async () => {
    const stranger = { name: "Bob", email: "bob@example.com", password: "Correct-horse-2" };
    expect((await testbed().ask({ path: "/api/v1/auths/signup", json: stranger })).status).toBe(403);
  });
});
