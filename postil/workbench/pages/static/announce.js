// What has just been decided stands in a region that is read out only when it changes: so change it.

const messages = document.getElementById("messages");
if (messages?.textContent.trim()) {
  const told = [...messages.childNodes];
  messages.replaceChildren();
  setTimeout(() => messages.replaceChildren(...told), 150);
}
