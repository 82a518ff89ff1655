import { type Dispatcher, parseCookie } from "undici";

/** As many cookies as a browser keeps for a host at least (RFC 6265, section 6.1). */
const MAX_COOKIES = 50;

/**
 * Makes an interceptor for one connection that sends the service's cookies back to it. Load balancers recognize by them which
 * server has made the nonce. They are kept in memory as long as the connection.
 */
export function keepCookies(): Dispatcher.DispatcherComposeInterceptor {
  const cookies = new Map<string, string>();
  const keep = (line: string) => {
    const { name = "", value = "", maxAge, expires } = parseCookie(line) ?? {};
    cookies.delete(name);
    const isExpired = maxAge === undefined ? expires !== undefined && Number(expires) <= Date.now() : maxAge <= 0;
    if (name !== "" && !isExpired && cookies.size < MAX_COOKIES) cookies.set(name, value);
  };
  return (dispatch) => (request, handler) => {
    const cookie = () => Array.from(cookies, ([name, value]) => `${name}=${value}`).join("; ");
    const sent = cookies.size === 0 ? request : { ...request, headers: { ...request.headers, cookie: cookie() } };
    return dispatch(sent, {
      onRequestStart: (...start) => handler.onRequestStart?.(...start),
      onResponseStart: (controller, status, received, message) => {
        for (const line of [received["set-cookie"] ?? []].flat()) keep(line);
        handler.onResponseStart?.(controller, status, received, message);
      },
      onResponseData: (...data) => handler.onResponseData?.(...data),
      onResponseEnd: (...end) => handler.onResponseEnd?.(...end),
      onResponseError: (...error) => handler.onResponseError?.(...error),
    });
  };
}
