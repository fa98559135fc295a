function n(e,{key:o,timer:r}){if(r!==void 0)return"timer";let t=e.edges[o];return t.on==="error"?"error":t.default?"default":t.when||t.branch?"condition":"plain"}export{n as a};
