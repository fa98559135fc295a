// No browser says its time zone in a header: the server reads it from this cookie, from the next page on.

const zone = Intl.DateTimeFormat().resolvedOptions().timeZone ?? "";
// A name of letters, digits and / _ + - needs no escaping, and anything else is no time zone.
if (/^[\w/+-]{1,64}$/.test(zone) && !document.cookie.split("; ").includes(`zone=${zone}`)) {
  // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API is not in every browser.
  document.cookie = `zone=${zone}; path=/; max-age=31536000; samesite=lax`;
}
