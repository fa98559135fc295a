/** A view that is moved by dragging what lies behind its cards. */

const FAR = 4;

export function draggable(view: HTMLElement): void {
  let from: { x: number; y: number; left: number; top: number } | null = null;
  view.addEventListener("pointerdown", (event) => {
    if (event.button !== 0 || event.pointerType !== "mouse" || (event.target as Element).closest("a, button")) return;
    from = { x: event.clientX, y: event.clientY, left: view.scrollLeft, top: view.scrollTop };
  });
  view.addEventListener("pointermove", (event) => {
    if (!from) return;
    const [x, y] = [event.clientX - from.x, event.clientY - from.y];
    if (!view.hasPointerCapture(event.pointerId)) {
      if (Math.hypot(x, y) < FAR) return;
      view.setPointerCapture(event.pointerId);
      view.dataset.dragged = "";
    }
    view.scrollTo(from.left - x, from.top - y);
  });
  const end = () => {
    from = null;
    delete view.dataset.dragged;
  };
  view.addEventListener("pointerup", end);
  view.addEventListener("pointercancel", end);
}
