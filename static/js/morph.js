// What a page's reader did to its elements, and morphing must not undo.

const attributes = [];
const elements = [];

/** Leaves an attribute as it is where `rule(name, node)` says so. */
export function leave(rule) {
  attributes.push(rule);
  window.Idiomorph.defaults.callbacks.beforeAttributeUpdated = (name, node) =>
    !attributes.some((each) => each(name, node));
}

/** Leaves an element as it is, with all that is in it, where `rule(node, next)` says so of it and what came. */
export function keep(rule) {
  elements.push(rule);
  window.Idiomorph.defaults.callbacks.beforeNodeMorphed = (node, next) => !elements.some((each) => each(node, next));
}
