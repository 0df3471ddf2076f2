import { describe, expect, it } from "vitest";
import { proxyOf } from "../../downloads/proxy-variables";

const GITHUB = "https://github.com/a";

describe("the proxy of an address", () => {
  it.each([
    { what: "HTTPS_PROXY for HTTPS", env: { HTTPS_PROXY: "http://proxy:3128" }, proxy: "http://proxy:3128/" },
    { what: "the variable in small letters", env: { https_proxy: "http://proxy:3128" }, proxy: "http://proxy:3128/" },
    { what: "one without http://", env: { HTTPS_PROXY: "proxy:3128" }, proxy: "http://proxy:3128/" },
    { what: "not HTTP_PROXY for HTTPS", env: { HTTP_PROXY: "http://proxy:3128" }, proxy: undefined },
    { what: "none that is empty", env: { HTTPS_PROXY: "" }, proxy: undefined },
    { what: "none for a name of NO_PROXY", env: { HTTPS_PROXY: "http://p", NO_PROXY: "a.example, github.com" } },
    { what: "none below a name of NO_PROXY", env: { HTTPS_PROXY: "http://p", no_proxy: ".com" } },
    { what: "none where NO_PROXY is *", env: { HTTPS_PROXY: "http://p", NO_PROXY: "*" } },
    {
      what: "one where NO_PROXY ends alike",
      env: { HTTPS_PROXY: "http://p", NO_PROXY: "hub.com" },
      proxy: "http://p/",
    },
    {
      what: "one where NO_PROXY means a port",
      env: { HTTPS_PROXY: "http://p", NO_PROXY: "github.com:99" },
      proxy: "http://p/",
    },
  ])("is $what", ({ env, proxy }) => {
    expect(proxyOf(new URL(GITHUB), env)?.href).toBe(proxy);
  });

  it("is none for this machine", () => {
    const env = { HTTP_PROXY: "http://p", HTTPS_PROXY: "http://p" };
    for (const url of ["http://localhost:1/", "http://127.0.0.1/", "http://127.8.8.8/", "https://[::1]/"]) {
      expect(proxyOf(new URL(url), env)).toBeUndefined();
    }
    expect(proxyOf(new URL("https://127.example/"), env)?.href).toBe("http://p/");
  });
});

describe("NO_PROXY", () => {
  it.each([
    { url: "https://github.com", entry: "GitHub.com", isExcepted: true },
    { url: "https://api.github.com", entry: "github.com", isExcepted: true },
    { url: "https://api.github.com", entry: "*.github.com", isExcepted: true },
    { url: "https://github.com", entry: ".github.com", isExcepted: false },
    { url: "https://github.com", entry: "*.github.com", isExcepted: false },
    { url: "https://bücher.example", entry: "BÜCHER.example", isExcepted: true },
    { url: "https://github.com", entry: "github.com:443", isExcepted: true },
    { url: "https://github.com:8443", entry: "github.com:443", isExcepted: false },
    { url: "http://github.com", entry: "github.com:443", isExcepted: false },
    { url: "http://github.com", entry: "github.com:80", isExcepted: true },
    { url: "https://10.1.2.3", entry: "10.0.0.0/8", isExcepted: true },
    { url: "https://11.1.2.3", entry: "10.0.0.0/8", isExcepted: false },
    { url: "https://10.1.2.3", entry: "10.0.0.0/99", isExcepted: false },
    { url: "https://10.1.2.3", entry: "10.1.2.3", isExcepted: true },
    { url: "https://10.1.2.3", entry: "10.1.2.3:443", isExcepted: true },
    { url: "https://10.1.2.3", entry: "10.1.2.3:80", isExcepted: false },
    { url: "https://10.1.2.3", entry: "2.3", isExcepted: false },
    { url: "https://name.example", entry: "10.0.0.0/8", isExcepted: false },
    { url: "https://[2001:db8::5]", entry: "2001:DB8:0::5", isExcepted: true },
    { url: "https://[2001:db8::5]", entry: "[2001:db8::5]:443", isExcepted: true },
    { url: "https://[2001:db8::5]", entry: "[2001:db8::5]:80", isExcepted: false },
    { url: "https://[2001:db8::5]", entry: "2001:db8::/32", isExcepted: true },
    { url: "https://[2001:db9::5]", entry: "2001:db8::/32", isExcepted: false },
    { url: "https://[::ffff:10.1.2.3]", entry: "10.0.0.0/8", isExcepted: true },
    { url: "https://github.com", entry: ":443", isExcepted: false },
    { url: "https://github.com", entry: "", isExcepted: false },
  ])("$entry and $url: excepted $isExcepted", ({ url, entry, isExcepted }) => {
    const env = { HTTP_PROXY: "http://p", HTTPS_PROXY: "http://p", NO_PROXY: `a.invalid, ${entry}` };
    expect(proxyOf(new URL(url), env) === undefined).toBe(isExcepted);
  });
});

describe("a variable that cannot be used", () => {
  it("is named with the fix when it is a SOCKS proxy", () => {
    expect(() => proxyOf(new URL(GITHUB), { https_proxy: "socks5://p:1" })).toThrow(
      "https_proxy is a socks5:// proxy, and downloads use http:// and https:// proxies only: " +
        "unset it for this command, or name github.com in NO_PROXY",
    );
  });

  it.each([
    { value: "http://me:s3cret@proxy:99999", shown: "http://***@proxy:99999" },
    { value: "me:s3@cret@proxy:port", shown: "http://***@proxy:port" },
    { value: "http://", shown: "http://" },
    { value: "http://me:100%@proxy", shown: "http://***@proxy" },
  ])("is named without its password when it is $value", ({ value, shown }) => {
    expect(() => proxyOf(new URL(GITHUB), { HTTPS_PROXY: value })).toThrow(
      `HTTPS_PROXY is no URL of a proxy: ${shown}; write http://<host>:<port>`,
    );
  });
});
