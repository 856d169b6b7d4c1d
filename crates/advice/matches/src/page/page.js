for (const form of document.querySelectorAll(".filter")) {
  const list = form.nextElementSibling;
  const articles = [...list.children];
  form.addEventListener("change", () => {
    const { seat, kind, size, order } = Object.fromEntries(new FormData(form));
    const key = (it) => (order === "time" ? Number(it.dataset.index) : -Number(it.dataset.loss));
    articles.sort((a, b) => key(a) - key(b));
    for (const it of articles) {
      it.hidden = (seat && it.dataset.seat !== seat) || (kind && it.dataset.kind !== kind)
        || (size && it.dataset.size !== size);
      it.style.display = it.hidden ? "none" : "";
      list.append(it);
    }
  });
}
